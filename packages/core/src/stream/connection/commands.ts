import type { Account } from '../../account';
import {
	commandErrorCodes,
	commands,
	operationOf,
	type CommandAction,
	type CommandErrorCode,
	type OperationId,
} from '../../catalogue';
import { ExchangeError, type ErrorCode, type ErrorFacts } from '../../errors';
import { assertKind, type Kind } from '../../given';
import type { Clock } from '../../ports';
import { excerpt } from '../../redaction';
import { filledText, isSameId, plainWord } from '../../wire/payload';
import type { CommandAck } from '../contract';
import { COMMAND_MS_MAX, COMMANDS_PENDING_MAX } from '../limits';
import type { ServiceMessage } from './messages';

/** Pending commands by request id. */
export interface Commands {
	send(command: Command, signal?: AbortSignal): Promise<CommandAck>;
	/** Settles the command that an acknowledgement or an error answers. Late, repeated and unknown answers are ignored. */
	answered(message: ServiceMessage): void;
	/** The connection was lost: every pending command ends with an unknown outcome. */
	lost(): void;
}

/** A command as it is sent. */
interface Command {
	action: CommandAction;
	/** The order that it changes. */
	orderId: unknown;
	requestId: string;
	text: string;
}

interface Pending extends Pick<Command, 'action' | 'orderId'> {
	resolve(ack: CommandAck): void;
	reject(error: ExchangeError): void;
	/** Ends it with an unknown outcome. */
	lose(what: string, said?: Pick<ErrorFacts, 'serviceMessage' | 'details'>): void;
}

/** What each error code means. (Interface, part 7.) */
const codes: Readonly<Record<CommandErrorCode, { code: ErrorCode; what: string }>> = {
	UNAUTHORIZED: { code: 'unauthorized', what: 'The stream does not know this key' },
	FORBIDDEN: { code: 'forbidden', what: 'The key may not do this' },
	VALIDATION_FAILED: { code: 'refused', what: 'The service refused the command' },
	CONFLICT: { code: 'conflict', what: 'It conflicts with an existing record of the service' },
	RATE_LIMITED: { code: 'rate_limited', what: 'Too many commands' },
};

export const commandActions = Object.keys(commands);

const labelOf = (action: CommandAction): string => operationOf(action.replace('_', '.') as OperationId).label;

/** An error without one of these codes proves nothing: the service may send it after it has acted. */
const unlisted = {
	code: 'outcome_unknown',
	what: 'The service failed at the command, or gives no reason it documents',
} as const;

/** @throws Where the fields are not what can be written. */
export function newCommand(
	action: CommandAction,
	fields: Readonly<Record<string, unknown>>,
	requestId: string,
): Command {
	let text: string | undefined;
	try {
		// Without an idempotency key the request id guards against duplicates, so a retry with a new request id
		// would place a second order. (Interface, part 6.)
		const key = fields.idempotency_key ?? requestId;
		text = JSON.stringify({ ...fields, idempotency_key: key, type: 'command', request_id: requestId, action });
	} catch {
		// The check below refuses it.
	}
	const written: Kind = { words: 'what can be written as JSON', is: () => text !== undefined };
	assertKind(fields, written, { of: 'What a command takes', field: 'fields' });
	return { action, orderId: fields.order_id, requestId, text: text! };
}

export function createCommands(ports: {
	clock: Clock;
	account: Pick<Account, 'apiKey'>;
	send: (text: string) => boolean;
}): Commands {
	const pending = new Map<string, Pending>();

	function send({ requestId, text, ...sent }: Command, signal?: AbortSignal): Promise<CommandAck> {
		const operation = labelOf(sent.action);
		if (pending.size >= COMMANDS_PENDING_MAX) {
			return Promise.reject(
				new ExchangeError('limit_reached', {
					operation,
					what: 'Too many commands are pending',
					advice: 'Wait for earlier ones; nothing was sent',
				}),
			);
		}
		return new Promise<CommandAck>((resolve, reject) => {
			const fail = (error: ExchangeError) => (done(), reject(error));
			const lose: Pending['lose'] = (what, said) =>
				fail(new ExchangeError('outcome_unknown', { operation, what, ...said }));
			const stop = () => lose('It was stopped before the service answered the command');
			const cancel = ports.clock.after(COMMAND_MS_MAX, () =>
				lose(`The command was not answered within ${COMMAND_MS_MAX / 1000} seconds`),
			);
			const done = () => {
				pending.delete(requestId);
				cancel();
				signal?.removeEventListener('abort', stop);
			};
			pending.set(requestId, { ...sent, resolve: (ack) => (done(), resolve(ack)), reject: fail, lose });
			signal?.addEventListener('abort', stop);
			if (!ports.send(text))
				fail(new ExchangeError('stream_closed', { operation, what: 'The stream is not connected; nothing was sent' }));
		});
	}

	function answered(message: ServiceMessage): void {
		if (message.type !== 'command_ack' && message.type !== 'command_error') return;
		const waiting = pending.get(message.requestId);
		if (!waiting) return;
		const said = message.type === 'command_ack' ? message.failure : message.text;
		const serviceMessage = excerpt(said ?? '', ports.account.apiKey) || undefined;
		if (message.type === 'command_ack') {
			const { data } = message;
			const [shown, made] = [data.original_order_id ?? data.order_id, filledText(data.new_order_id)];
			const isAbout = waiting.orderId === undefined || isSameId(filledText(shown), waiting.orderId);
			if (said === undefined && isAbout) return waiting.resolve({ action: waiting.action, data });
			const what = isAbout ? 'says success and failure at once' : 'does not identify the order';
			return waiting.lose(`The acknowledgement ${what}`, {
				serviceMessage,
				...(made === undefined ? {} : { details: { new_order_id: made } }),
			});
		}
		const named = commandErrorCodes.find((known) => plainWord(known) === plainWord(message.code));
		const { code, what } = named ? codes[named] : unlisted;
		waiting.reject(
			new ExchangeError(code, {
				operation: labelOf(waiting.action),
				what,
				serviceMessage,
				serviceCode: named ?? (excerpt(message.code, ports.account.apiKey) || undefined),
			}),
		);
	}

	return {
		send,
		answered,
		lost: () => {
			for (const { lose } of pending.values()) lose('The connection broke before the service answered the command');
		},
	};
}
