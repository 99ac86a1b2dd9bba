import type { OperationId, Options } from './catalogue';

/** What goes with a call besides its input. */
export interface CallContext<O extends object = Options> {
	/** Stable name of the intent behind a write: the same name never places a second order. */
	intent?: string;
	/** An earlier run may have sent this intent, so what became of it is found out before anything is sent. */
	repeated?: boolean;
	options?: O;
	/** A read is not repeated by the client, because its caller tries again at its own pace. */
	isSentOnce?: boolean;
	/** Stops waiting and retrying; what was sent stays sent. */
	signal?: AbortSignal;
	/** Receives what a person should know although nothing failed. */
	warn?(warning: Warning): void;
	/** Receives the step an order write is at, so that a person sees why it takes long. */
	progress?(progress: Progress): void;
}

export interface Progress {
	doing: 'sending' | 'looking' | 'waiting';
	/** Times it was sent so far, this one included. */
	attempts: number;
}

export interface Warning {
	/**
	 * A check that had to be left out, an answer that contradicts the documented one, a field or word that is new in it, a
	 * filter the service did not apply, a result found again after its reply was lost, or an input that does not apply to
	 * what was chosen beside it.
	 */
	kind: 'not_checked' | 'drift' | 'news' | 'filtered' | 'recovered' | 'left_out';
	/** One sentence without a final period. */
	text: string;
}

/** Reads something that a step of a call needs. */
export type Read = (
	id: OperationId,
	input: Readonly<Record<string, unknown>>,
	context?: CallContext,
) => Promise<unknown>;
