import type { Item } from '@partner-exchange/core';
import { openReading } from '../../../packages/core/src/orders/lookup/list-reading';
import { unknownShape } from '../../../packages/core/src/wire/list-shape';

/** A reading of a list that a test changes between two pages. */
function readingOf(page: (offset: number) => Item) {
	return openReading({
		...{ filter: {}, shape: unknownShape(), isSettled: () => false, isToTheEnd: true },
		page: (query) => Promise.resolve(page(Number(query.offset))),
	});
}
const order = (id: string, created_at: string): Item => ({ id, created_at, status: 'accepted' });

describe('a reading of the order list that is continued', () => {
	it('treats a list as paged when as many new orders arrived in front as were read before', async () => {
		const orders = [order('first', '2026-01-05T09:00:00Z')];
		const reading = readingOf((offset) => ({ count: orders.length, orders: orders.slice(offset) }));
		await reading.next();
		orders.unshift(order('second', '2026-01-05T09:00:10Z'));
		expect(await reading.next()).toEqual([orders[1]]);
		expect(reading.repeats()).toBe(false);
	});

	it('treats a list as unpaged when every page begins like the first one', async () => {
		const orders = [order('first', '2026-01-05T09:00:00Z')];
		const reading = readingOf(() => ({ count: 1, orders }));
		await reading.next();
		await reading.next();
		expect(reading.repeats()).toBe(true);
	});
});
