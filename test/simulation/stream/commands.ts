import { isExchangeError, type Stream } from '@partner-exchange/core';
import { COMMAND_MS_MAX } from '../../../packages/core/src/stream/limits';
import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import { openOrders, OWN, PAIR } from './story';

/** A cancel sent over the stream, and the result reported to the host. */
export interface Sent {
	key: string;
	at: number;
	report?: { at: number; is: 'acknowledged' | 'not done' | 'unknown' };
}

export type Command = Stream['command'];

interface CommandWorld {
	time: VirtualTime;
	chance: Random;
	lives(): boolean;
	exchange: Exchange;
	until: number;
	command: Command;
}

const EVERY_MS = 15_000;
/** Waits for the order updates to be available, and then for its response. */
const ENDS_WITHIN_MS = 2 * COMMAND_MS_MAX;

/** Cancels an order now and then, as a flow does that listens on the same stream. */
export function sendCancels(world: CommandWorld, sent: Sent[]): void {
	const { time, chance, lives, until } = world;
	const again = (): void =>
		void time.after(chance.exponential(EVERY_MS, 4 * EVERY_MS), () => {
			if (lives() && time.now() < until) void cancel(world, sent).then(again);
		});
	again();
}

async function cancel({ time, chance, lives, exchange, command }: CommandWorld, sent: Sent[]): Promise<void> {
	const open = openOrders(exchange, OWN);
	if (open.length === 0) return;
	const entry: Sent = { key: chance.uuid(), at: time.now() };
	sent.push(entry);
	const fields = { pair_id: PAIR, order_id: chance.pick(open).id, idempotency_key: entry.key };
	const is = await command('order_cancel', fields).then(
		() => 'acknowledged' as const,
		(error: unknown) => (isExchangeError(error, 'outcome_unknown') ? ('unknown' as const) : ('not done' as const)),
	);
	if (lives()) entry.report = { at: time.now(), is };
}

/** An acknowledged command was executed, and one reported as not executed never was. Every command ends. */
export function judgeCommands(sent: readonly Sent[], exchange: Exchange, crashes: readonly { at: number }[]): string[] {
	const done = exchange.engine.state.accounts.get(OWN)!.idempotency;
	return sent.flatMap(({ key, at, report }) => {
		if (!report)
			return crashes.some((crash) => crash.at >= at && crash.at <= at + ENDS_WITHIN_MS)
				? []
				: [`command ${key} never ended`];
		if (report.at - at > ENDS_WITHIN_MS) return [`command ${key} took ${(report.at - at) / 1000} s`];
		if (report.is === 'unknown') return [];
		return (report.is === 'acknowledged') === done.has(key) ? [] : [`command ${key} was called ${report.is}`];
	});
}
