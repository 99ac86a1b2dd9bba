import { wholeOf, written, type Whole } from '../../whole';
import { timeOf, type TopicEvent } from '../topics/event';
import { numberOf } from './numbers';

/** An event that identifies a run of the service: once its number belongs to another event, the numbers restarted. */
export type RunMark = Pick<TopicEvent, 'key' | 'sequence' | 'time' | 'item'>;

/**
 * What was known when the numbers of a subscriber fell into doubt, and since when the list was seen to end below that. It
 * is not stored: at first the numbers are in doubt, whether they were stored or come from a baseline.
 */
export interface RunDoubt {
	readonly mark: RunMark | undefined;
	readonly highest: Whole;
	endsBelowSince?: number;
}

/** A mark as a checkpoint holds it: the number, key and time of the event, the time in milliseconds since 1970. */
export type StoredMark = [sequence: number | string, key: string, time: number];

/**
 * Characters of a key. A mark with a longer one is not stored, so that no identifier of the service makes a position
 * long.
 */
const KEY_LENGTH_MAX = 200;

/** A mark without a time could not prove a restart, so it is not stored. */
export function storedMark(mark: RunMark): StoredMark | undefined {
	const time = timeOfMark(mark);
	return time === undefined || mark.key.length > KEY_LENGTH_MAX ? undefined : [written(mark.sequence!), mark.key, time];
}

/** A stored checkpoint may have been edited, truncated or written by another version: malformed parts are ignored. */
export function readMark(stored: unknown): RunMark | undefined {
	const [sequence, key, time] = Array.isArray(stored) ? (stored as unknown[]) : [];
	const number = wholeOf(sequence);
	const isMark = number !== undefined && typeof key === 'string' && numberOf(time) !== undefined;
	return isMark ? { sequence: number, key, time: time as number } : undefined;
}

export const timeOfMark = ({ time, item }: RunMark): number | undefined => time ?? (item && timeOf(item));
