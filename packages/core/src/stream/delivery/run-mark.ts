import { isItem } from '../../wire/payload';
import { timeOf, type TopicEvent } from '../topics/event';
import { numberOf } from './deduplication';

/** One run of the service, in which each sequence number identifies one event. */
export interface ServiceRun {
	mark?: RunMark;
}

/** An event that identifies a run: once its number belongs to another event, the service has restarted its numbers. */
export type RunMark = Pick<TopicEvent, 'key' | 'sequence' | 'time' | 'item'>;

/** The run that the stored sequence numbers belong to. Plain JSON. */
export interface StoredRun {
	run?: [sequence: number, key: string, time: number];
	/** The service may have begun another run since, and some of the stored numbers may belong to that. */
	doubtful?: true;
}

/** A mark with a longer key is not stored. */
const KEY_LENGTH_MAX = 200;

/** A mark without a time could not prove a restart, so it is not stored. */
export function storedRun({ mark }: ServiceRun, isDoubtful: boolean): StoredRun {
	const stored: StoredRun = {};
	const time = mark && timeOfMark(mark);
	if (mark && time !== undefined && mark.key.length <= KEY_LENGTH_MAX) stored.run = [mark.sequence!, mark.key, time];
	if (isDoubtful) stored.doubtful = true;
	return stored;
}

/** A stored checkpoint may have been edited, truncated or written by another version: malformed parts are ignored. */
export function readRun(given: unknown): { mark?: RunMark; isDoubtful?: boolean } {
	if (!isItem(given)) return {};
	const [sequence, key, time] = Array.isArray(given.run) ? (given.run as unknown[]) : [];
	const isMark = Number.isSafeInteger(sequence) && typeof key === 'string' && numberOf(time) !== undefined;
	return {
		mark: isMark ? { sequence: sequence as number, key, time: time as number } : undefined,
		isDoubtful: given.doubtful === true,
	};
}

export const timeOfMark = ({ time, item }: RunMark): number | undefined => time ?? (item && timeOf(item));
