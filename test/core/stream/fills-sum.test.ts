import type { Item } from '@partner-exchange/core';
import type { History } from '../../../packages/core/src/stream/sources/history';
import {
	type FillSums,
	addUp,
	isShort,
	newFillSums,
	readOrderFills,
	sumOf,
} from '../../../packages/core/src/stream/missing-fills';
import { fills } from '../../../packages/core/src/stream/topics/fills';

describe('what the fills of an order add up to', () => {
	const fill = (id: string, quantity: string, more: Item = {}) =>
		fills.identify({ id, order_id: 'o', quantity, ...more });

	it('counts each fill of an order once, under whichever of its keys it comes', () => {
		const sums = newFillSums();
		for (const event of [fill('a', '1.5'), fill('b', '2'), fill('a', '1.5'), fill('x', '2', { fill_id: 'b' })])
			addUp(sums, event);
		expect(sumOf(sums, 'o')).toMatchObject({ quantity: '3.5', fills: 2 });
		addUp(sums, fill('c', '0.5', { execution_id: 'd' }));
		addUp(sums, fill('d', '0.5'));
		addUp(sums, { key: 'none', data: {} });
		expect(sumOf(sums, 'o')).toMatchObject({ quantity: '4.0', fills: 3 });
		expect(sumOf(sums, 'other')).toMatchObject({ quantity: '0', fills: 0 });
		expect(['3.9', '4', '4.00', '4.1'].map((filled) => isShort(sums, 'o', filled))).toEqual([
			false,
			false,
			false,
			true,
		]);
	});

	it('adds up exactly, and by order', () => {
		const sums = newFillSums();
		for (const [key, orderId, quantity] of [
			...[['a', 'o1', '0.1'] as const, ['b', 'o1', '0.2'] as const, ['c', 'o1', '3'] as const],
			...[['b', 'o1', '0.2'] as const, ['d', 'o2', '1'] as const],
		])
			addUp(sums, { key, data: {}, fill: { orderId, quantity } });
		expect([sumOf(sums, 'o1'), sumOf(sums, 'o2')]).toMatchObject([
			{ quantity: '3.3', fills: 3 },
			{ quantity: '1', fills: 1 },
		]);
		expect([isShort(sums, 'o1', '3.30'), isShort(sums, 'o1', '3.31')]).toEqual([false, true]);
	});

	it.each([
		['one of its identifiers is known', ['x'], { quantity: '1', fills: 1 }],
		['none of its identifiers is known', ['y'], { quantity: '2', fills: 2 }],
	])('counts a fill with two identifiers by both: %s', (_name, aliases, expected) => {
		const sums = newFillSums();
		addUp(sums, { key: 'a', aliases: ['x'], data: {}, fill: { orderId: 'o', quantity: '1' } });
		addUp(sums, { key: 'b', aliases, data: {}, fill: { orderId: 'o', quantity: '1' } });
		expect(sumOf(sums, 'o')).toMatchObject(expected);
	});

	/** Adds further fills, each of an order of its own, until the sum of `o` is forgotten; returns how many. */
	function forget(sums: FillSums): number {
		for (let count = 0; count < 100_000; count += 1) {
			if (sumOf(sums, 'o').fills === 0) return count;
			addUp(sums, { key: `f${count}`, data: {}, fill: { orderId: `o${count}`, quantity: '1' } });
		}
		throw new Error('The sum is never forgotten');
	}

	it('forgets the sum of an order after the fills of 10,000 further orders at the earliest, and of 20,000 at the latest', () => {
		for (const before of [0, 5_000, 9_999]) {
			const sums = newFillSums();
			for (let index = 0; index < before; index += 1)
				addUp(sums, { key: `b${index}`, data: {}, fill: { orderId: `p${index}`, quantity: '1' } });
			addUp(sums, fill('first', '10'));
			const count = forget(sums);
			expect([count >= 9_999, count <= 20_000]).toEqual([true, true]);
		}
	});

	it('adds a fill to its order again where that order was forgotten meanwhile', () => {
		const sums = newFillSums();
		addUp(sums, fill('first', '10'));
		forget(sums);
		addUp(sums, fill('first', '10'));
		expect(sumOf(sums, 'o')).toMatchObject({ quantity: '10', fills: 1 });
	});

	it('forgets no order whose fill is repeated meanwhile', () => {
		const sums = newFillSums();
		for (let index = 0; index < 100_000; index += 1) {
			if (index % 5_000 === 0) addUp(sums, fill('first', '10'));
			addUp(sums, { key: `f${index}`, data: {}, fill: { orderId: `p${index}`, quantity: '1' } });
		}
		expect(sumOf(sums, 'o')).toMatchObject({ quantity: '10', fills: 1 });
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
