import { isOrderWrite, options, type Operation, type OperationId, type Options } from './catalogue';
import { ExchangeError, type ErrorCode } from './errors';

/** The settings of a call besides its input. All of them are optional. */
export interface CallContext<O extends object = Options> {
	/** Stable name of the intent behind a write: the same name never places a second order. */
	intent?: string;
	/** An earlier run may have sent this intent, so it is looked up before anything is sent. */
	repeated?: boolean;
	/**
	 * How the client carries out the operation, such as `business_key`, `wait` or `dry_run`; never sent on the wire.
	 */
	options?: O;
	/** How often a request is sent again that changed nothing, such as a read; 4 if not set. Not for writes of orders. */
	retries?: number;
	/** Milliseconds that one request is waited for; 15,000 if not set. Not for writes of orders. */
	timeoutMs?: number;
	/** Stops waiting and retrying. A request already sent is not undone. */
	signal?: AbortSignal;
	/** Receives warnings: facts a person should know although the call succeeded. */
	warn?(warning: Warning): void;
	/** Receives the current step of an order write, so that a person sees why it takes long. */
	progress?(progress: Progress): void;
}

/** Every setting of a call, so that a misspelt one is refused and not ignored. */
const settings = {
	intent: true,
	repeated: true,
	options: true,
	retries: true,
	timeoutMs: true,
	signal: true,
	warn: true,
	progress: true,
} as const satisfies Record<keyof CallContext, true>;

/** Refuses a setting that does not exist, or that this call would not heed; `also` are those of one kind of call alone. */
export function acceptContext(operation: Operation, context: CallContext, also: readonly string[] = []): void {
	acceptLimits(operation, context);
	const known: readonly string[] = [...Object.keys(settings), ...also];
	const unknown = Object.keys(context).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const isOption = Object.hasOwn(options, unknown);
	throw new ExchangeError('invalid_input', {
		what: `A call has no setting named ${unknown.slice(0, 64)}`,
		field: unknown.slice(0, 64),
		advice: isOption
			? `It is an option: give it as { options: { ${unknown} } }; nothing was sent`
			: `Its settings are ${known.join(', ')}; nothing was sent`,
	});
}

/** What `retries` and `timeoutMs` may be. */
const bounds = { retries: [0, 20], timeoutMs: [1, 600_000] } as const;

/** Refuses `retries` and `timeoutMs` that are no such number, or that this kind of call would not heed. */
function acceptLimits(operation: Operation, context: CallContext): void {
	for (const name of ['retries', 'timeoutMs'] as const) {
		const value = context[name];
		if (value === undefined) continue;
		const [min, max] = bounds[name];
		const isHeeded = operation.run.via === 'rest';
		if (isHeeded && Number.isInteger(value) && value >= min && value <= max) continue;
		const advice = isOrderWrite(operation)
			? 'The option unknown_after_seconds says how long it may take'
			: 'Leave it out';
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field: name,
			what: isHeeded ? `${name} is not a whole number from ${min} to ${max}` : `${name} has no effect on it`,
			advice: isHeeded ? 'Correct it; nothing was sent' : `${advice}; nothing was sent`,
		});
	}
}

/** The current step of an order write. */
export interface Progress {
	/** Sending the order, looking for it in the list, or waiting before the next of these. */
	doing: 'sending' | 'looking' | 'waiting';
	/** Number of transmissions so far, this one included. */
	attempts: number;
	/** Transmissions that are made at most. */
	attemptsMax: number;
	/** Number of lookups since the last transmission, this one included. */
	lookups: number;
	/** Longest time until the write ends, a request in flight not counted. */
	limitMs: number;
	/** Why the last transmission or lookup left it open. */
	reason?: ErrorCode;
}

/** A fact a person should know although the call succeeded. */
export interface Warning {
	/**
	 * A check that was skipped, an answer that contradicts the documentation, a new field or value in it, a filter the
	 * service did not apply, a result found again after its reply was lost, or an input that could mean one thing only.
	 */
	kind: 'not_checked' | 'drift' | 'news' | 'filtered' | 'recovered' | 'repaired';
	/** One sentence without a final period. */
	text: string;
}

/** Reads what a step of a call needs. */
export type Read = (
	id: OperationId,
	input: Readonly<Record<string, unknown>>,
	context?: CallContext,
) => Promise<unknown>;
