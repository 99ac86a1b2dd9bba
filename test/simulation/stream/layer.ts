import type { StreamPolicy } from '@partner-exchange/core/testing';
import type { Random } from '../support/random';
import type { Seen } from './host';
import type { Fault } from './neighbours';
import type { Weather } from './weather';

/**
 * Several mechanisms keep events from being lost, and each can hide the defects of another. So each is also tested
 * alone, under the faults it has to handle. Further layers test guarantees with a time limit.
 */
export interface Layer {
	weather(chance: Random): Weather;
	policy?: Partial<StreamPolicy>;
	/** Names on the wire; for example an empty name, which disables the resume. */
	names?: Readonly<Record<string, string>>;
	/** The longest time from an event to its delivery. */
	lateMs(weather: Weather): number;
	/** Whether that time begins with the next message received of the topic, and whether with the end of the faults. */
	waitsForSigns?: boolean;
	waitsForHealing?: boolean;
	/** The time after the end of the faults within which all triggers are up to date. */
	calmAfterMs?(weather: Weather): number;
	/** Whether it protects order books as well. */
	books: boolean;
	/** The triggers it needs, instead of those drawn. */
	consumers?: readonly Seen['consumer'][];
	/** How many wallet triggers run beside them. */
	wallets?: number;
	/** Consumers that misbehave beside them. */
	faulty?: readonly Fault[];
	/** When they start; drawn without it. */
	startsAfterMs?: number;
	/** Whether events count from the moment a trigger subscribed, and not from when it was first ready. */
	owesFromTheStart?: boolean;
	/** How much older than its beginning an event may be that a trigger is told, beyond what lists lag. */
	olderMs?: number;
	/** Whether nothing gives a reason to mark a change of a book as stale, or to tell public trades out of order. */
	isInOrder?: boolean;
	/** Whether a trigger has to start at its first try. */
	startsAtOnce?: boolean;
	/** Whether nothing gives the client a reason to end a connection. */
	keepsConnections?: boolean;
	/** The most readings of fills within a minute, however many triggers there are. */
	readingsPerMinuteMax?: number;
}
