import {
	controlOf,
	isOrderWrite,
	isSentOnce,
	options,
	routeOf,
	type Operation,
	type OperationId,
	type Options,
} from './catalogue';
import { ExchangeError, type ErrorCode } from './errors';
import { assertGiven, callback, someText, flag, plainObject, signal, wholeNumber, type Kind } from './given';

/** The settings of a call besides its input. All of them are optional. */
export interface CallContext<O extends object = Options> {
	/** Stable name of the intent behind a write that is to happen once: the same name never places a second order. */
	intent?: string;
	/** An earlier run may have sent this intent, so it is looked up before anything is sent. For writes of orders. */
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
	/** Receives the current step of a write of an order, so that a person sees why it takes long. */
	progress?(progress: Progress): void;
}

/** Every setting of a call. */
const settings: Readonly<Record<keyof CallContext, Kind>> = {
	intent: someText,
	repeated: flag,
	options: plainObject,
	retries: wholeNumber(0, 20),
	timeoutMs: wholeNumber(1, 600_000),
	signal,
	warn: callback,
	progress: callback,
};

/** The settings of a list that is read item by item: those of any call, and a limit. */
export const settingsOfItems = { ...settings, limit: wholeNumber(0, Number.MAX_SAFE_INTEGER) };

const isRequest = (operation: Operation): boolean => (routeOf(operation) ?? controlOf(operation)) !== undefined;
/** Which operations heed a setting that not all of them do. */
const heededBy: { readonly [Name in keyof CallContext]?: (operation: Operation, options: Options) => boolean } = {
	// A business key alone says which order it is.
	intent: (operation, { business_key }) =>
		isSentOnce(operation) || (isOrderWrite(operation) && business_key === undefined),
	repeated: isOrderWrite,
	progress: isOrderWrite,
	retries: (operation) => isRequest(operation) && !isOrderWrite(operation),
	timeoutMs: (operation) => isRequest(operation) && !isOrderWrite(operation),
};
const heeded = Object.keys(heededBy) as (keyof CallContext)[];

/**
 * Refuses a setting that does not exist or cannot be right, or that this call would not heed. A host calls all operations
 * alike, with `isForm`, and what one does not heed is no fault there.
 */
export function acceptContext<Context extends CallContext>(
	operation: Operation,
	given: Context,
	isForm: boolean,
	known: Readonly<Record<keyof CallContext, Kind>> = settings,
): Context {
	const context = assertGiven<CallContext>(given, known, {
		of: 'What a call takes beside its input',
		operation: operation.label,
		adviceOn: (name) =>
			Object.hasOwn(options, name) ? `It is an option: give it as { options: { ${name} } }` : undefined,
	});
	const unheeded = heeded.find(
		(name) => context[name] !== undefined && !heededBy[name]!(operation, context.options ?? {}),
	);
	if (unheeded === undefined || isForm) return context as Context;
	const advice =
		isOrderWrite(operation) && unheeded !== 'intent'
			? 'The option unknown_after_seconds says how long it may take'
			: 'Leave it out';
	throw new ExchangeError('invalid_input', {
		operation: operation.label,
		field: unheeded,
		what: `${unheeded} has no effect on it${unheeded === 'intent' && isOrderWrite(operation) ? ' beside a business_key' : ''}`,
		advice: `${advice}; nothing was sent`,
	});
}

/** How long a call that waits does so at most, in milliseconds. */
export const waitMsOf = ({ options: chosen }: CallContext): number =>
	Number(chosen?.wait_seconds ?? options.wait_seconds.default) * 1_000;

export const stopped = ({ label }: Pick<Operation, 'label'>): ExchangeError =>
	new ExchangeError('aborted', { operation: label, what: 'The call was stopped' });

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
