import { ExchangeError, type CommandAck, type ErrorCode } from '@partner-exchange/core';
import type { CommandAction } from '@partner-exchange/core/catalogue';
import type { Surroundings } from './network';
import type { Plant } from './plants';
import type { Call, Sent } from './record';

const ACK_TIMEOUT_MS = 10_000;
const codes: Readonly<{ [code: string]: ErrorCode }> = {
	UNAUTHORIZED: 'unauthorized',
	FORBIDDEN: 'forbidden',
	VALIDATION_FAILED: 'refused',
	CONFLICT: 'conflict',
	RATE_LIMITED: 'rate_limited',
};

/** Codes the interface does not list: the service may have acted before it sends one. */
const unlisted = ['MARKET_ASLEEP', 'INTERNAL'];
/** Codes of a refused command, half of them unlisted. */
const words = [...Object.keys(codes), ...unlisted, ...unlisted, 'INTERNAL'];

export interface Channel {
	command(
		action: CommandAction,
		fields: Readonly<{ [name: string]: unknown }>,
		signal?: AbortSignal,
	): Promise<CommandAck>;
}

interface Line {
	key: string;
	/** A defect planted in outgoing commands. */
	change?: Plant['command'];
}

/**
 * The command part of a stream: it loses commands and acknowledgements, disconnects, and forwards to the real service.
 */
export function channel(world: Surroundings, call: Call, { key, change }: Line): Channel {
	const { time, weather, chance, record } = world;
	const service = world.services.get(call.address)!;
	let transmissions = 0;
	return {
		command: (action, options, signal) =>
			new Promise((resolve, reject) => {
				const calm = time.now() >= weather.healsAt;
				const happens = (rate: number): boolean => !calm && chance.happens(rate);
				const fail = (code: ErrorCode): void => {
					if (world.lives(call.life)) reject(new ExchangeError(code, { what: 'simulated' }));
				};
				const refuse = (word: string): void => {
					if (!world.lives(call.life)) return;
					reject(new ExchangeError(codes[word] ?? 'outcome_unknown', { what: 'simulated', serviceCode: word }));
				};
				if (signal?.aborted) return fail('aborted');
				if (happens(weather.reset)) return void time.after(5, () => fail('stream_closed'));
				const requestId = `call-${call.number}-${++transmissions}`;
				const fields = change?.({ ...options }, transmissions) ?? options;
				const sent: Sent = { at: time.now(), order: record.next(), bytes: JSON.stringify([action, fields]), made: [] };
				call.sends.push(sent);
				record.trace.add(sent.at, `call ${call.number}`, action, requestId);
				time.after(ACK_TIMEOUT_MS, () => fail('outcome_unknown'));
				signal?.addEventListener('abort', () => fail('outcome_unknown'), { once: true });
				const word = happens(weather.refusedCommand) ? chance.pick(words) : undefined;
				const actsFirst = word !== undefined && !(word in codes) && chance.happens(0.8);
				if (happens(weather.loss)) return;
				const delay = (): number => chance.exponential(calm ? 20 : weather.latencyMs, 5_000);
				time.after(delay(), () => {
					if (word !== undefined && !actsFirst) {
						time.after(delay(), () => refuse(word));
						return;
					}
					const before = service.orders().length;
					const answer = service.command(key, { request_id: requestId, action, ...fields });
					sent.made.push(
						...service
							.orders()
							.slice(before)
							.map(({ id }) => id),
					);
					if (happens(weather.replyLoss)) return;
					time.after(delay(), () => {
						if (word !== undefined) return refuse(word);
						if (!answer) return fail('unauthorized');
						if (answer.type === 'command_error') return fail(codes[String(answer.code)] ?? 'outcome_unknown');
						if (world.lives(call.life)) resolve({ action, data: answer.data as CommandAck['data'] });
					});
				});
			}),
	};
}
