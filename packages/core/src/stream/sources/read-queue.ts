import { isPrivate } from '../../catalogue';
import { READS_AT_ONCE_MAX } from '../limits';
import type { History } from './history';

/**
 * The reads of all topics of an account, so many at a time. While others wait, those of private topics go first, and
 * among them the topic whose latest read is the longest ago, which is the most behind.
 */
export interface ReadQueue {
	/** The history as one topic reads it. */
	of(topic: string): TopicHistory;
	/** How many reads wait. */
	size(): number;
}

export interface TopicHistory extends History {
	/** The place in the queue of the next read of the topic, from one; null if none waits. */
	place(): number | null;
}

interface WaitingRead {
	topic: string;
	isPrivate: boolean;
	begin(): void;
}

export function createReadQueue(history: History): ReadQueue {
	let waiting: WaitingRead[] = [];
	let underWay = 0;
	let begun = 0;
	/** By topic, the number of its latest read. */
	const latest = new Map<string, number>();

	function isBefore(first: WaitingRead, other: WaitingRead): boolean {
		if (first.isPrivate !== other.isPrivate) return first.isPrivate;
		return (latest.get(first.topic) ?? 0) < (latest.get(other.topic) ?? 0);
	}

	function next(): void {
		if (waiting.length === 0 || underWay >= READS_AT_ONCE_MAX) return;
		const first = waiting.reduce((best, read) => (isBefore(read, best) ? read : best));
		waiting = waiting.filter((other) => other !== first);
		latest.set(first.topic, (begun += 1));
		underWay += 1;
		first.begin();
	}

	function placeOf(topic: string): number | null {
		const own = waiting.find((read) => read.topic === topic);
		return own ? 1 + waiting.filter((read) => isBefore(read, own)).length : null;
	}

	async function inTurn<Answer>(topic: string, read: () => Promise<Answer>): Promise<Answer> {
		await new Promise<void>((begin) => {
			waiting.push({ topic, isPrivate: isPrivate(topic), begin });
			next();
		});
		try {
			return await read();
		} finally {
			underWay -= 1;
			next();
		}
	}

	return {
		of: (topic) => ({
			page: (...args) => inTurn(topic, () => history.page(...args)),
			read: (...args) => inTurn(topic, () => history.read(...args)),
			pairOf: history.pairOf,
			place: () => placeOf(topic),
		}),
		size: () => waiting.length,
	};
}
