import { KNOWN_IN_A_ROW, READ_AFTER_MS, READ_EVERY_MS } from './limits';
import type { Step } from './position';

/** The decisions that keep events from being lost, in one place, so that tests can replace each of them alone. */
export interface StreamPolicy {
	/** Delays of the backfills after a subscription, and after a sign of missing events. */
	readAfterMs: readonly number[];
	/** The interval of backfills without a reason; never when undefined. */
	readEveryMs: number | undefined;
	/** Known items in a row after which the rest of a list is assumed to be known too. */
	knownInARow: number;
	/** Whether a message is a sign that others are missing. */
	impliesGap(step: Step): boolean;
}

/** The rules and times of the stream as shipped. Times are milliseconds. */
export const streamPolicy: StreamPolicy = {
	readAfterMs: READ_AFTER_MS,
	readEveryMs: READ_EVERY_MS,
	knownInARow: KNOWN_IN_A_ROW,
	impliesGap: (step) => step === 'gap' || step === 'epoch' || step === 'unusable',
};
