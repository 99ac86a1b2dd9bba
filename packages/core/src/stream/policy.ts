import type { OrderFacts } from './topics/event';
import {
	FILLS_LATE_MS,
	KNOWN_IN_A_ROW,
	READ_AFTER_MS,
	READ_EVERY_MS,
	READ_OVERLAP_MS,
	STORED_KEYS_MAX,
} from './limits';
import { isNews } from './topics/orders';
import type { Step } from './position';

/** The decisions that keep events from being lost, in one place, so that each can be tried without the others. */
export interface StreamPolicy {
	/** When REST is read after a subscription and after a suspicion. */
	readAfterMs: readonly number[];
	/** And how often without a reason; never when undefined. */
	readEveryMs: number | undefined;
	/** How far before the newest known item a reading begins. */
	readOverlapMs: number;
	/** Known items in a row after which a list is taken to hold nothing new. */
	knownInARow: number;
	/** How many keys of taken events are stored. */
	storedKeysMax: number;
	/** When the fills of an order are read one by one, because they do not add up to what it says was filled. */
	fillsLateMs: number;
	/** Whether a message hints that others are missing. */
	impliesGap(step: Step): boolean;
	/** Whether an order's update tells something new. */
	isNews(update: OrderFacts, known: OrderFacts | undefined): boolean;
}

export const streamPolicy: StreamPolicy = {
	readAfterMs: READ_AFTER_MS,
	readEveryMs: READ_EVERY_MS,
	readOverlapMs: READ_OVERLAP_MS,
	knownInARow: KNOWN_IN_A_ROW,
	storedKeysMax: STORED_KEYS_MAX,
	fillsLateMs: FILLS_LATE_MS,
	impliesGap: (step) => step === 'gap' || step === 'epoch' || step === 'unusable',
	isNews,
};
