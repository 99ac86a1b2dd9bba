import type { Item } from '@partner-exchange/core';
import { createBookBackfill } from '../../../packages/core/src/stream/backfill/present-state';
import { step } from '../../../packages/core/src/stream/sync/step';
import { backfillStage } from './backfill-stage';
import { book as rules, chance, joined, NOW } from './step-stage';

const TOPIC = 'orderbook.USD_NGN';

function open() {
	const stage = backfillStage(TOPIC);
	const [consumer, other] = [stage.subscribe(), stage.subscribe()];
	const { state, service, ports } = stage;
	for (const { subscriber } of [consumer, other]) step(rules, state, joined(subscriber, { needsBaseline: false }), NOW);
	const backfill = createBookBackfill({ ...ports, source: { from: 'snapshot', read: 'market.orderBook' } });
	const read = async (book: Item) => {
		service.single = { book };
		const result = await backfill.run([]);
		step(rules, state, { type: 'read', chance, isForAll: true, ...result, book: result.snapshot }, NOW);
		return result;
	};
	return { ...stage, consumer, other, read };
}

describe('a book that is read', () => {
	it('delivers a book to the subscribers it serves, by its number and its time', async () => {
		const { consumer, other, read, observed } = open();
		const key = `${TOPIC}:snapshot:7:t1`;
		expect(await read({ sequence: 7, timestamp: 't1' })).toMatchObject({
			isWhole: true,
			hasNews: true,
			snapshot: { key },
		});
		expect([await consumer.keys(), await other.keys(), observed]).toEqual([[key], [key], [key]]);
	});

	it('a book without a time is another one each time', async () => {
		const { consumer, read } = open();
		for (const book of [{ sequence: 7 }, {}, {}]) await read(book);
		expect(await consumer.keys()).toEqual(['7:0', ':1', ':2'].map((mark) => `${TOPIC}:snapshot:${mark}`));
	});

	it('skips a book that is too old', async () => {
		const { consumer, state, read, observed } = open();
		state.book.needed = 8;
		expect(await read({ sequence: 7 })).toEqual({ isWhole: true, hasNews: false, isOutdated: true });
		expect([await consumer.keys(), observed]).toEqual([[], []]);
	});

	it('counts a book as found if it is new to one of its subscribers', async () => {
		const { other, read } = open();
		other.subscriber.queue.lagging.set(TOPIC, 0);
		expect(await read({ sequence: 7, timestamp: 't1' })).toMatchObject({ hasNews: true });
	});

	it('counts a book as not found if it was delivered before', async () => {
		const { read } = open();
		await read({ sequence: 7, timestamp: 't1' });
		expect(await read({ sequence: 7, timestamp: 't1' })).toMatchObject({ isWhole: true, hasNews: false });
	});
});
