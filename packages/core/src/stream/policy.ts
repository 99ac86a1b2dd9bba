import {
	KNOWN_IN_A_ROW,
	LISTED_AFTER_MS,
	READ_AFTER_MS,
	READ_EVERY_MS,
	READ_OVERLAP_MS,
	STORED_KEYS_MAX,
} from './limits';
import type { Step } from './position';

/** The decisions that keep events from being lost, in one place, so that tests can replace each of them alone. */
export interface StreamPolicy {
	/** Delays of the backfills after a subscription, and after a sign of missing events. */
	readAfterMs: readonly number[];
	/** The interval of backfills without a reason; never when undefined. */
	readEveryMs: number | undefined;
	/** How far before the newest known item a backfill begins. */
	readOverlapMs: number;
	/** Known items in a row after which the rest of a list is assumed to be known too. */
	knownInARow: number;
	/** How many keys of acknowledged events are stored. */
	storedKeysMax: number;
	/** How long after an update of an order all its fills are read, if they do not add up to its filled quantity. */
	fillsLateMs: number;
	/** Whether a message is a sign that others are missing. */
	impliesGap(step: Step): boolean;
}

/** The rules and times of the stream as shipped. Times are milliseconds. */
export const streamPolicy: StreamPolicy = {
	readAfterMs: READ_AFTER_MS,
	readEveryMs: READ_EVERY_MS,
	readOverlapMs: READ_OVERLAP_MS,
	knownInARow: KNOWN_IN_A_ROW,
	storedKeysMax: STORED_KEYS_MAX,
	fillsLateMs: LISTED_AFTER_MS,
	impliesGap: (step) => step === 'gap' || step === 'epoch' || step === 'unusable',
};
