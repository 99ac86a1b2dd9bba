import { isItem } from '../../wire/payload';
import { timeOf, type TopicEvent } from '../topics/event';
import { numberOf } from './deduplication';

/** One run of the service, in which each number stands for one event. */
export interface ServiceRun {
	mark?: RunMark;
}

/** An event by which a run is known again: where its number stands for another, the service counts anew. */
export type RunMark = Pick<TopicEvent, 'key' | 'sequence' | 'time' | 'item'>;

/** The run whose numbers are stored beside it. Plain JSON. */
export interface StoredRun {
	run?: [sequence: number, key: string, time: number];
	/** The service may have begun another since, of which some numbers are among those stored. */
	doubtful?: true;
}

/** No identifier that long is kept only to know a run again. */
const KEY_LENGTH_MAX = 200;

/** A mark without a time would prove nothing. */
export function storedRun({ mark }: ServiceRun, isDoubtful: boolean): StoredRun {
	const stored: StoredRun = {};
	const time = mark && timeOfMark(mark);
	if (mark && time !== undefined && mark.key.length <= KEY_LENGTH_MAX) stored.run = [mark.sequence!, mark.key, time];
	if (isDoubtful) stored.doubtful = true;
	return stored;
}

/** What was stored may have been edited, cut or written by another version. */
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
