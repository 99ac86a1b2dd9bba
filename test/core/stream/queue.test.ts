import type { StreamEvent } from '@partner-exchange/core';
import {
	acknowledged,
	append,
	appendPosition,
	discard,
	emptyQueue,
	isCrowded,
	isFull,
	isOverfull,
	isYounger,
	lengthOf,
	push,
	sizeOf,
	take,
	waitingOf,
	type Entry,
	type Queue,
} from '../../../packages/core/src/stream/delivery/queue';
import {
	QUEUE_HARD_LENGTH_MAX,
	QUEUE_HARD_MAX,
	QUEUE_LENGTH_MAX,
	QUEUE_MAX,
} from '../../../packages/core/src/stream/limits';

interface Waiting {
	topic?: string;
	length?: number;
	time?: number;
}

const entryOf = (key: string, { topic = 'a', length = 1, time }: Waiting = {}): Entry => ({
	event: { topic, eventKey: key } as StreamEvent,
	delta: { key, time },
	length,
});

function queueWith(...waiting: readonly [key: string, entry?: Waiting][]): Queue {
	const queue = emptyQueue();
	for (const [key, entry] of waiting) push(queue, entryOf(key, entry));
	return queue;
}

const keysOf = (entries: readonly Entry[]): (string | undefined)[] => entries.map(({ delta }) => delta.key);
const position = { epoch: 'e', seq: 1 };

describe('a queue', () => {
	it('a queue is a plain value that can be printed', () => {
		const queue = queueWith(['1'], ['2'], ['3']);
		take(queue, 2);
		const { lagging, ...waiting } = structuredClone(queue);
		expect([...lagging]).toEqual([]);
		expect(waiting).toEqual({
			...{ begin: 0, inFlight: 2, length: 3 },
			entries: ['1', '2', '3'].map((key) => entryOf(key)),
			topics: new Map([['a', { count: 3, last: entryOf('3') }]]),
		});
	});

	it('returns the same events until they are acknowledged, and then those behind them', () => {
		const queue = queueWith(['1'], ['2'], ['3', { topic: 'b' }]);
		expect([keysOf(take(queue, 2)), keysOf(take(queue, 2))]).toEqual([
			['1', '2'],
			['1', '2'],
		]);
		acknowledged(queue, take(queue, 2));
		expect([sizeOf(queue), waitingOf(queue, 'a'), waitingOf(queue, 'b'), queue.length]).toEqual([1, 0, 1, 1]);
		acknowledged(queue, take(queue, 2));
		expect([sizeOf(queue), queue.entries]).toEqual([0, []]);
	});

	it('cuts acknowledged events off once there are many', () => {
		const queue = emptyQueue();
		for (let key = 0; key <= QUEUE_MAX + 1; key += 1) push(queue, entryOf(String(key)));
		acknowledged(queue, take(queue, QUEUE_MAX));
		expect([sizeOf(queue), queue.entries.length]).toEqual([2, QUEUE_MAX + 2]);
		acknowledged(queue, take(queue, 1));
		expect([keysOf(queue.entries), queue.begin]).toEqual([[String(QUEUE_MAX + 1)], 0]);
	});

	it('drops the events of a topic, but not those the host is busy with', () => {
		const queue = queueWith(['0'], ['1'], ['2'], ['3', { topic: 'b', length: 2 }]);
		acknowledged(queue, take(queue, 1));
		const busy = take(queue, 1);
		discard(queue, 'a');
		expect([keysOf(queue.entries), queue.length]).toEqual([['1', '3'], 3]);
		expect([waitingOf(queue, 'a'), waitingOf(queue, 'b')]).toEqual([1, 1]);
		acknowledged(queue, busy);
		discard(queue, 'a');
		expect([keysOf(take(queue, 9)), waitingOf(queue, 'a')]).toEqual([['3'], 0]);
	});

	it('tells whether all waiting events of a topic are younger than a moment', () => {
		const queue = queueWith(['old', { time: 1 }], ['1', { time: 6 }], ['2', { topic: 'b', time: 1 }]);
		acknowledged(queue, take(queue, 1));
		expect([isYounger(queue, 'a', 5), isYounger(queue, 'a', 6), isYounger(queue, 'b', 5)]).toEqual([
			true,
			false,
			false,
		]);
		push(queue, entryOf('undated'));
		expect([isYounger(queue, 'a', 5), isYounger(queue, 'c', 5)]).toEqual([false, true]);
	});

	it('a delta without an event applies with the last waiting event of its topic', () => {
		const queue = queueWith(['1'], ['2'], ['3', { topic: 'b' }]);
		expect([append(queue, 'a', { watermark: 5 }), append(queue, 'a', { watermark: 6 })]).toEqual([true, true]);
		expect([appendPosition(queue, 'a', position), appendPosition(queue, 'b', position)]).toEqual([true, true]);
		expect(take(queue, 3).map(({ delta, later }) => [later?.watermark, (later ?? delta).position])).toEqual([
			[undefined, undefined],
			[6, position],
			[undefined, position],
		]);
	});

	it('a delta without an event applies at once where no event of its topic waits', () => {
		const queue = queueWith(['1']);
		expect([append(queue, 'c', { watermark: 7 }), appendPosition(queue, 'c', position)]).toEqual([false, false]);
		acknowledged(queue, take(queue, 1));
		expect([append(queue, 'a', { watermark: 8 }), appendPosition(queue, 'a', position)]).toEqual([false, false]);
	});
});

describe('how much waits', () => {
	it.each<[string, (queue: Queue) => boolean, number]>([
		['crowded beyond half of QUEUE_MAX', isCrowded, QUEUE_MAX / 2 + 1],
		['full at QUEUE_MAX', isFull, QUEUE_MAX],
		['overfull at QUEUE_HARD_MAX', isOverfull, QUEUE_HARD_MAX],
	])('a queue is %s', (_, is, count) => {
		const queue = emptyQueue();
		for (let number = 1; number < count; number += 1) push(queue, entryOf('k'));
		expect(is(queue)).toBe(false);
		push(queue, entryOf('k'));
		expect(is(queue)).toBe(true);
	});

	it.each<[string, (queue: Queue) => boolean, number]>([
		['crowded beyond half of QUEUE_LENGTH_MAX', isCrowded, QUEUE_LENGTH_MAX / 2 + 1],
		['full at QUEUE_LENGTH_MAX', isFull, QUEUE_LENGTH_MAX],
		['overfull at QUEUE_HARD_LENGTH_MAX', isOverfull, QUEUE_HARD_LENGTH_MAX],
	])('a queue is %s characters', (_, is, length) => {
		const queue = queueWith(['k', { length: length - 1 }]);
		expect(is(queue)).toBe(false);
		push(queue, entryOf('k'));
		expect(is(queue)).toBe(true);
		acknowledged(queue, take(queue, 2));
		expect(is(queue)).toBe(false);
	});

	it('measures waiting events by their characters, roughly and within limits', () => {
		expect([lengthOf('four'), lengthOf(5), lengthOf(null), lengthOf(true), lengthOf({}), lengthOf([])]).toEqual([
			4, 8, 8, 8, 0, 0,
		]);
		expect(lengthOf({ name: 'text', other: { deep: 'abc' } })).toBe(8 + 4 + (9 + (8 + 3)));
		expect(lengthOf(['ab', 'c'])).toBe(5 + 2 + 5 + 1);
		expect(lengthOf(Array<string>(999).fill(''))).toBe(10 * 5 + 90 * 6 + 899 * 7);
		expect(lengthOf(Array<string>(5_000).fill('a'))).toBeLessThan(10_000);
		let deep: unknown = 'end';
		for (let level = 0; level < 5_000; level += 1) deep = { a: deep };
		expect(lengthOf(deep)).toBe(5_000);
	});
});
