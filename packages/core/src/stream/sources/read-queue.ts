import { isPrivate } from '../../catalogue';
import { READS_AT_ONCE_MAX } from '../limits';
import type { History } from './history';

/** The reads of all topics of an account, a few at a time. Private topics go first, then those that wait longest. */
export interface ReadQueue {
	/** The history as one topic reads it. */
	of(topic: string): TopicHistory;
	/** How many reads wait. */
	size(): number;
}

export interface TopicHistory extends History {
	/** The place in the queue of the next read of the topic, from one; null if none waits. */
	turn(): number | null;
}

interface WaitingRead {
	topic: string;
	isPrivate: boolean;
	begin(): void;
}

export function createReadQueue(history: History): ReadQueue {
	let waiting: WaitingRead[] = [];
	let underWay = 0;

	function next(): void {
		if (waiting.length === 0 || underWay >= READS_AT_ONCE_MAX) return;
		const first = waiting.find(({ isPrivate: isFirst }) => isFirst) ?? waiting[0]!;
		waiting = waiting.filter((other) => other !== first);
		underWay += 1;
		first.begin();
	}

	function turnOf(topic: string): number | null {
		const inOrder = [...waiting.filter((read) => read.isPrivate), ...waiting.filter((read) => !read.isPrivate)];
		const turn = inOrder.findIndex((read) => read.topic === topic);
		return turn < 0 ? null : turn + 1;
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
			turn: () => turnOf(topic),
		}),
		size: () => waiting.length,
	};
}
