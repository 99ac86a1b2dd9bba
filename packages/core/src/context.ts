import type { OperationId, Options } from './catalogue';
import type { ErrorCode } from './errors';

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
	/** The client does not retry a read, because the caller retries at its own pace. */
	isSentOnce?: boolean;
	/** Stops waiting and retrying. A request already sent is not undone. */
	signal?: AbortSignal;
	/** Receives warnings: facts a person should know although the call succeeded. */
	warn?(warning: Warning): void;
	/** Receives the current step of an order write, so that a person sees why it takes long. */
	progress?(progress: Progress): void;
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
	 * service did not apply, a result found again after its reply was lost, or an input that does not apply to the
	 * other inputs.
	 */
	kind: 'not_checked' | 'drift' | 'news' | 'filtered' | 'recovered' | 'left_out';
	/** One sentence without a final period. */
	text: string;
}

/** Reads what a step of a call needs. */
export type Read = (
	id: OperationId,
	input: Readonly<Record<string, unknown>>,
	context?: CallContext,
) => Promise<unknown>;
