import type { Item } from '@partner-exchange/core';
import type { History } from '../../../packages/core/src/stream/backfill/history';
import { createFillSums } from '../../../packages/core/src/stream/fills/fill-sums';
import { readOrderFills } from '../../../packages/core/src/stream/fills/order-fills';
import { fills } from '../../../packages/core/src/stream/topics/fills';

describe('what the fills of an order add up to', () => {
	const fill = (id: string, quantity: string, more: Item = {}) =>
		fills.identify({ id, order_id: 'o', quantity, ...more });

	it('counts each fill of an order once, under whichever of its keys it comes', () => {
		const sums = createFillSums();
		for (const event of [fill('a', '1.5'), fill('b', '2'), fill('a', '1.5'), fill('x', '2', { fill_id: 'b' })])
			sums.take(event);
		expect(sums.of('o')).toEqual({ quantity: '3.5', fills: 2 });
		sums.take(fill('c', '0.5', { execution_id: 'd' }));
		sums.take(fill('d', '0.5'));
		sums.take({ key: 'none', data: {} });
		expect(sums.of('o')).toEqual({ quantity: '4', fills: 3 });
		expect(sums.of('other')).toEqual({ quantity: '0', fills: 0 });
		expect(['3.9', '4', '4.00', '4.1'].map((filled) => sums.isShort('o', filled))).toEqual([false, false, false, true]);
	});

	it('reads the sum of fills whole, and of this order alone', async () => {
		const rows = Array.from({ length: 250 }, (_, index) => ({
			id: `f${index}`,
			quantity: '1',
			order_id: index % 5 === 0 ? 'p' : 'o',
		}));
		const requests: Item[] = [];
		const history = {
			page: async (_list: string, input: Item) => {
				requests.push(input);
				return await Promise.resolve(rows.slice(Number(input.offset), Number(input.offset) + 100));
			},
		} as unknown as History;
		const events = await readOrderFills('o', history, { signal: new AbortController().signal });
		expect(new Set(events.map(({ key }) => key)).size).toBe(200);
		expect(requests.every(({ order_id: id }) => id === 'o')).toBe(true);
		rows.splice(
			0,
			rows.length,
			...Array.from({ length: 9_000 }, (_, index) => ({ id: `f${index}`, quantity: '1', order_id: 'o' })),
		);
		requests.length = 0;
		await readOrderFills('o', history, { signal: new AbortController().signal });
		expect(requests).toHaveLength(50);
	});

	it('counts no fill twice that has no identifier and is on two pages', async () => {
		const rows = Array.from({ length: 150 }, (_, index) => ({ order_id: 'o', quantity: '1', price: String(index) }));
		const page = async (_list: string, { offset }: Item) =>
			await Promise.resolve(rows.slice(Number(offset), Number(offset) + 100));
		const events = await readOrderFills('o', { page } as unknown as History, { signal: new AbortController().signal });
		expect(new Set(events.map(({ key }) => key)).size).toBe(150);
	});
});
