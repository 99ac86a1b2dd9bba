import type { Item } from '@partner-exchange/core';
import { createBookBackfill } from '../../../packages/core/src/stream/backfill/present-state';
import { backfillStage } from './backfill-stage';

const TOPIC = 'orderbook.USD_NGN';

function open() {
	const stage = backfillStage(TOPIC);
	const [consumer, other] = [stage.subscribe(), stage.subscribe()];
	const stored = { sequence: 0 };
	const backfill = createBookBackfill({
		...stage.ports,
		source: { from: 'snapshot', read: 'market.orderBook' },
		served: () => [consumer.subscriber, other.subscriber],
		isOutdated: (sequence) => (sequence ?? Infinity) < stored.sequence,
	});
	const read = async (book: Item) => {
		stage.service.single = { book };
		return backfill.run([]);
	};
	return { ...stage, consumer, other, stored, read };
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
		for (const book of [{ sequence: 7 }, { sequence: 7 }, {}]) await read(book);
		expect(await consumer.keys()).toEqual(['7:1', '7:2', ':3'].map((mark) => `${TOPIC}:snapshot:${mark}`));
	});

	it('skips a book that is too old', async () => {
		const { consumer, stored, read, observed } = open();
		stored.sequence = 8;
		expect(await read({ sequence: 7 })).toEqual({ isWhole: true, hasNews: false, isOutdated: true });
		expect([await consumer.keys(), observed]).toEqual([[], []]);
	});

	it('counts a book as found if it is new to one of its subscribers', async () => {
		const { other, read } = open();
		other.subscriber.lagging.add(TOPIC);
		expect(await read({ sequence: 7, timestamp: 't1' })).toMatchObject({ hasNews: true });
	});

	it('counts a book as not found if it was delivered before', async () => {
		const { read } = open();
		await read({ sequence: 7, timestamp: 't1' });
		expect(await read({ sequence: 7, timestamp: 't1' })).toMatchObject({ isWhole: true, hasNews: false });
	});
});
