import type { StreamEvent } from '@partner-exchange/core';
import { createHandOver } from '../../../packages/core/src/stream/delivery/hand-over';
import { discard, emptyQueue, push as add, sizeOf, type Entry } from '../../../packages/core/src/stream/delivery/queue';
import { QUEUE_MAX } from '../../../packages/core/src/stream/limits';
import { settled, virtualTime } from '../../simulation/support/time';

/** A hand-over to a host that acknowledges, rejects or holds what it is handed. */
function handOverOf({ batchMax = 1, isStarted = true } = {}) {
	const time = virtualTime();
	const handed: string[][] = [];
	const deliveries: Entry[][] = [];
	const rejected: number[] = [];
	let rejections = 0;
	let pending: (() => void)[] | undefined;
	const queue = emptyQueue();
	const handOver = createHandOver(queue, {
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
		rejected: (tries) => void rejected.push(tries),
	});
	if (isStarted) handOver.start();
	return {
		queue,
		handOver,
		push: (key: string, topic = 'a') => {
			add(queue, { event: { topic, eventKey: key } as StreamEvent, delta: { key }, length: 1 });
			handOver.added();
		},
		handed,
		deliveries,
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

describe('handing events to a host', () => {
	it('hands events over in order, in batches, one call at a time', async () => {
		const { queue, push, handed, deliveries, hold, finish } = handOverOf({ batchMax: 2 });
		hold();
		for (const key of ['1', '2', '3', '4', '5']) push(key);
		await settled();
		expect([handed, sizeOf(queue)]).toEqual([[['1', '2']], 5]);
		await finish();
		expect(handed).toEqual([['1', '2'], ['3', '4'], ['5']]);
		expect(deliveries.map((entries) => entries.map(({ delta }) => delta.key))).toEqual(handed);
		expect(sizeOf(queue)).toBe(0);
		push('6');
		await settled();
		expect(handed.at(-1)).toEqual(['6']);
	});

	it('hands over one event at a time to a host that asks for no batches', async () => {
		const { push, handed } = handOverOf({ batchMax: 0 });
		for (const key of ['1', '2']) push(key);
		await settled();
		expect(handed).toEqual([['1'], ['2']]);
	});

	it('hands no event over before its start or after its close', async () => {
		const { handOver, push, handed } = handOverOf({ isStarted: false });
		push('1');
		await settled();
		expect([handed, handOver.isRunning()]).toEqual([[], false]);
		handOver.start();
		await settled();
		expect([handed, handOver.isRunning()]).toEqual([[['1']], true]);
		expect([handOver.close(), handOver.isRunning(), handOver.isClosed()]).toEqual([true, false, true]);
		push('2');
		await settled();
		expect(handed).toEqual([['1']]);
		expect(handOverOf({ isStarted: false }).handOver.close()).toBe(false);
	});

	it('hands rejected events over again after a pause that doubles, until the host acknowledges', async () => {
		const { queue, push, handed, deliveries, rejected, reject, pass } = handOverOf();
		reject(2);
		push('1');
		await pass(1_999);
		expect([handed.length, rejected, sizeOf(queue)]).toEqual([1, [1], 1]);
		await pass(1);
		expect([handed.length, rejected]).toEqual([2, [1, 2]]);
		await pass(4_000);
		expect([handed, deliveries.length, sizeOf(queue)]).toEqual([[['1'], ['1'], ['1']], 1, 0]);
	});

	it('calls a host that rejected events no more once it is closed', async () => {
		const { handOver, push, handed, deliveries, reject, pass } = handOverOf();
		reject(1);
		push('1');
		await settled();
		handOver.close();
		await pass(60_000);
		expect([handed.length, deliveries]).toEqual([1, []]);
	});

	it('counts events as acknowledged that the host was busy with when it was closed', async () => {
		const { handOver, push, deliveries, handed, hold, finish } = handOverOf();
		hold();
		for (const key of ['1', '2']) push(key);
		await settled();
		handOver.close();
		await finish();
		expect([handed, deliveries.length]).toEqual([[['1']], 1]);
	});

	it('hands over what came while the host was busy, without a topic that was dropped meanwhile', async () => {
		const { queue, push, handed, hold, finish } = handOverOf({ batchMax: 2 });
		hold();
		for (const [key, topic] of [['1'], ['2', 'b'], ['3']] as const) push(key, topic);
		await settled();
		discard(queue, 'a');
		push('4');
		await finish();
		expect(handed).toEqual([['1', '2'], ['4']]);
	});

	it('hands thousands of events over in batches, each once', async () => {
		const { queue, push, handed } = handOverOf({ batchMax: 7 });
		const keys = Array.from({ length: 2.5 * QUEUE_MAX }, (_, number) => String(number));
		for (const key of keys) push(key);
		for (let turn = 0; turn < 50 && sizeOf(queue) > 0; turn += 1) await settled();
		expect(handed.flat()).toEqual(keys);
	});
});
