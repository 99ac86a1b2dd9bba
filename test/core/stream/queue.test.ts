import { QUEUE_HARD_MAX, QUEUE_MAX } from '../../../packages/core/src/stream/limits';
import type { StreamEvent } from '@partner-exchange/core';
import { createQueue, lengthOf, type Entry } from '../../../packages/core/src/stream/delivery/queue';
import { settled, virtualTime } from '../../simulation/support/time';

const MEGABYTE = 1024 * 1024;

/** A queue whose host acknowledges, rejects or holds its batches. */
function queueOf({ batchMax = 1, isStarted = true } = {}) {
	const time = virtualTime();
	const handed: string[][] = [];
	const deliveries: Entry[][] = [];
	const noted: unknown[] = [];
	const rejected: number[] = [];
	let rejections = 0;
	let pending: (() => void)[] | undefined;
	const queue = createQueue({
		batchMax,
		clock: time,
		random: () => 1,
		deliver: async (events) => {
			handed.push(events.map(({ eventKey }) => eventKey));
			if (pending) await new Promise<void>((done) => pending!.push(done));
			if (rejections > 0) {
				rejections -= 1;
				throw new Error('The host is busy');
			}
		},
		acknowledged: (entries) => void deliveries.push([...entries]),
		advance: (topic, update) => void noted.push([topic, update]),
		rejected: (tries) => void rejected.push(tries),
	});
	if (isStarted) queue.start();
	const push = (
		key: string,
		{ topic = 'a', length = 1, time: at }: { topic?: string; length?: number; time?: number } = {},
	) => queue.push({ event: { topic, eventKey: key } as StreamEvent, delta: { key, time: at }, length });
	return {
		queue,
		push,
		handed,
		deliveries,
		noted,
		rejected,
		reject: (count: number) => void (rejections = count),
		hold: () => void (pending = []),
		finish: async () => {
			const waiting = pending!;
			pending = undefined;
			waiting.forEach((done) => done());
			await settled();
		},
		pass: (ms: number) => time.run(time.now() + ms),
	};
}

describe('what waits for a host', () => {
	it('a queue drops events by their topic, but not those the host is busy with', async () => {
		const { queue, push, handed, hold, finish, pass } = queueOf({ batchMax: 2 });
		hold();
		for (const key of ['1', '2', '3']) push(key, { topic: key === '2' ? 'b' : 'a', length: 3 * MEGABYTE });
		await pass(0);
		expect([handed, queue.isFull()]).toEqual([[['1', '2']], true]);
		queue.discard('a');
		expect([queue.waiting('a'), queue.waiting('b'), queue.isFull()]).toEqual([1, 1, false]);
		push('4', { length: MEGABYTE });
		expect([queue.isCrowded(), queue.isFull()]).toEqual([true, false]);
		await finish();
		push('5', { topic: 'b' });
		queue.discard('a');
		await pass(0);
		expect([handed, queue.size()]).toEqual([[['1', '2'], ['4'], ['5']], 0]);
	});

	it('a queue returns events younger than a moment, whatever was acknowledged before', async () => {
		const { queue, push, hold, finish, pass } = queueOf({ batchMax: 1 });
		push('old', { time: 1 });
		await pass(0);
		hold();
		push('first', { time: 5 });
		push('second', { time: 9 });
		expect([queue.isYounger('a', 4), queue.isYounger('a', 5), queue.isYounger('b', 99)]).toEqual([true, false, true]);
		await finish();
	});

	it('a queue delivers in order, in batches, one call at a time', async () => {
		const { queue, push, handed, deliveries, hold, finish } = queueOf({ batchMax: 2 });
		hold();
		for (const key of ['1', '2', '3', '4', '5']) push(key);
		await settled();
		expect([handed, queue.size(), queue.waiting('a')]).toEqual([[['1', '2']], 5, 5]);
		await finish();
		expect(handed).toEqual([['1', '2'], ['3', '4'], ['5']]);
		expect(deliveries.map((entries) => entries.map(({ delta }) => delta.key))).toEqual(handed);
		expect([queue.size(), queue.waiting('a'), queue.waiting('b')]).toEqual([0, 0, 0]);
		push('6');
		await settled();
		expect(handed.at(-1)).toEqual(['6']);
	});

	it('a queue delivers one event at a time if a host asks for no batches', async () => {
		const { push, handed } = queueOf({ batchMax: 0 });
		for (const key of ['1', '2']) push(key);
		await settled();
		expect(handed).toEqual([['1'], ['2']]);
	});

	it('a queue delivers nothing before the beginning, nor after the end', async () => {
		const { queue, push, handed } = queueOf({ isStarted: false });
		push('1');
		await settled();
		expect(handed).toEqual([]);
		queue.start();
		await settled();
		expect(handed).toEqual([['1']]);
		queue.close();
		push('2');
		await settled();
		expect([handed, queue.size()]).toEqual([[['1']], 0]);
	});

	it('a queue delivers again after a pause that doubles, until the host acknowledges', async () => {
		const { queue, push, handed, deliveries, rejected, reject, pass } = queueOf();
		reject(2);
		push('1');
		await pass(1_999);
		expect([handed.length, rejected, queue.size()]).toEqual([1, [1], 1]);
		await pass(1);
		expect([handed.length, rejected]).toEqual([2, [1, 2]]);
		await pass(4_000);
		expect([handed, deliveries.length, queue.size()]).toEqual([[['1'], ['1'], ['1']], 1, 0]);
	});

	it('a queue drops its events at an end while the host is to be asked again', async () => {
		const { queue, push, handed, deliveries, reject, pass } = queueOf();
		reject(1);
		push('1');
		await settled();
		queue.close();
		await pass(60_000);
		expect([handed.length, deliveries]).toEqual([1, []]);
	});

	it('a queue counts events as acknowledged that a host was busy with at the end', async () => {
		const { queue, push, deliveries, handed, hold, finish } = queueOf();
		hold();
		for (const key of ['1', '2']) push(key);
		await settled();
		queue.close();
		await finish();
		expect([handed, deliveries.length]).toEqual([[['1']], 1]);
	});

	it('a queue of thousands cuts acknowledged events off now and then', async () => {
		const { queue, push, handed } = queueOf({ batchMax: 7 });
		for (let number = 0; number < 2_500; number += 1) push(String(number));
		for (let turn = 0; turn < 50 && queue.size() > 0; turn += 1) await settled();
		expect(handed.flat()).toEqual(Array.from({ length: 2_500 }, (_, number) => String(number)));
		expect([queue.size(), queue.waiting('a'), queue.isCrowded()]).toEqual([0, 0, false]);
	});
});

describe('what becomes true behind what waits', () => {
	it('a delta behind waiting events goes with the last event of its topic, or at once if none waits', async () => {
		const { queue, push, deliveries, noted, hold, finish } = queueOf();
		hold();
		push('1');
		push('2');
		push('3', { topic: 'b' });
		queue.record('a', { watermark: 5 });
		queue.record('a', { watermark: 6 });
		queue.reached('a', { epoch: 'e', seq: 1 });
		queue.record('c', { watermark: 7 });
		queue.reached('c', { epoch: 'e', seq: 2 });
		expect(noted).toEqual([
			['c', { watermark: 7 }],
			['c', { position: { epoch: 'e', seq: 2 } }],
		]);
		await finish();
		await settled();
		expect(deliveries.flat().map(({ delta, later }) => [later?.watermark, (later ?? delta).position?.seq])).toEqual([
			[undefined, undefined],
			[6, 1],
			[undefined, undefined],
		]);
		queue.record('a', { watermark: 8 });
		queue.reached('a', { epoch: 'e', seq: 3 });
		expect(noted.slice(2)).toEqual([
			['a', { watermark: 8 }],
			['a', { position: { epoch: 'e', seq: 3 } }],
		]);
	});

	it('a delta behind waiting events can be found by time', () => {
		const { queue, push } = queueOf({ isStarted: false });
		expect(queue.isYounger('a', 5)).toBe(true);
		push('1', { time: 6 });
		push('2', { topic: 'b', time: 1 });
		expect([queue.isYounger('a', 5), queue.isYounger('a', 6), queue.isYounger('b', 5)]).toEqual([true, false, false]);
		push('3');
		expect([queue.isYounger('a', 5), queue.isYounger('c', 5)]).toEqual([false, true]);
	});

	it('a delta behind acknowledged events cannot be found', async () => {
		const { queue, push, hold } = queueOf();
		push('1', { time: 1 });
		await settled();
		hold();
		push('2', { time: 9 });
		expect(queue.isYounger('a', 5)).toBe(true);
	});
});

describe('a topic that is taken back', () => {
	it('dropping a topic leaves the events the host is busy with and the other topics', async () => {
		const { queue, push, handed, hold, finish } = queueOf();
		push('0');
		await settled();
		hold();
		push('1', { length: 3 });
		push('2', { length: 5 * MEGABYTE });
		push('3', { topic: 'b', length: 2 });
		await settled();
		expect(queue.isCrowded()).toBe(true);
		queue.discard('a');
		expect([queue.size(), queue.waiting('a'), queue.waiting('b'), queue.isCrowded()]).toEqual([2, 1, 1, false]);
		push('4');
		await finish();
		expect([handed, queue.size()]).toEqual([[['0'], ['1'], ['3'], ['4']], 0]);
	});
});

describe('how much waits', () => {
	it.each<[string, 'isCrowded' | 'isFull' | 'isOverfull', number]>([
		['crowded beyond half of QUEUE_MAX', 'isCrowded', QUEUE_MAX / 2 + 1],
		['full at QUEUE_MAX', 'isFull', QUEUE_MAX],
		['overfull at QUEUE_HARD_MAX', 'isOverfull', QUEUE_HARD_MAX],
	])('how much waits is %s', (_, is, count) => {
		const { queue, push } = queueOf({ isStarted: false });
		for (let number = 1; number < count; number += 1) push('k');
		expect(queue[is]()).toBe(false);
		push('k');
		expect(queue[is]()).toBe(true);
	});

	it.each<[string, 'isCrowded' | 'isFull' | 'isOverfull', number]>([
		['crowded beyond 4 megabytes', 'isCrowded', 4 * MEGABYTE + 1],
		['full at 8 megabytes', 'isFull', 8 * MEGABYTE],
		['overfull at 32 megabytes', 'isOverfull', 32 * MEGABYTE],
	])('how much waits is %s', async (_, is, length) => {
		const { queue, push } = queueOf({ isStarted: false });
		push('k', { length: length - 1 });
		expect(queue[is]()).toBe(false);
		push('k');
		expect(queue[is]()).toBe(true);
		queue.start();
		await settled();
		expect(queue[is]()).toBe(false);
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
