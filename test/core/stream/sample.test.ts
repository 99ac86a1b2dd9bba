import type { Item } from '@partner-exchange/core';
import { sampleEvent } from '../../../packages/core/src/stream/sources/sample';

const BEGINS = Date.UTC(2026, 0, 5);
const at = (minute: number) => new Date(BEGINS + minute * 60_000).toISOString();
const fill = (minute: number, more: Item = {}): Item => ({
	id: `f${minute}`,
	order_id: 'o',
	quantity: '1',
	created_at: at(minute),
	...more,
});
const order = (minute: number, more: Item = {}): Item => ({
	id: `o${minute}`,
	status: 'filled',
	created_at: at(minute),
	...more,
});

/** A service with these lists. */
function service(lists: Record<string, Item[]>, book: Item = { sequence: 7 }) {
	const requests: [string, Item][] = [];
	const reader = {
		page: async (id: string, input: Item): Promise<Item[]> => {
			requests.push([id, input]);
			const offset = Number(input.offset ?? 0);
			return await Promise.resolve((lists[id] ?? []).slice(offset, offset + 100));
		},
		call: async (id: string, input: Item) => {
			requests.push([id, input]);
			return await Promise.resolve(book as never);
		},
	};
	return { reader, requests };
}
const sample = async (topics: string[], lists: Record<string, Item[]>, filters?: object) =>
	(await sampleEvent(service(lists).reader, { topics, filters }))?.eventKey;

describe('the newest event there is', () => {
	it('a sample is an event as it would be delivered', async () => {
		expect(await sampleEvent(service({ 'fill.list': [fill(1)] }).reader, { topics: ['user.fills'] })).toEqual({
			topic: 'user.fills',
			seq: null,
			epoch: null,
			ts: null,
			data: fill(1),
			delivery: 'reconciled',
			eventKey: 'fill:f1:o',
		});
	});

	it('a sample is the newest event of all topics', async () => {
		const lists = { 'fill.list': [fill(3), fill(1)], 'order.list': [order(2), order(4)] };
		expect(await sample(['user.fills', 'user.orders'], lists)).toBe('order:o4:filled:0');
		expect(await sample(['user.fills', 'user.orders'], { ...lists, 'order.list': [order(2)] })).toBe('fill:f3:o');
		expect(
			await sample(['user.orders', 'user.fills'], { ...lists, 'order.list': [{ ...order(9), created_at: undefined }] }),
		).toBe('fill:f3:o');
	});

	it('a sample is empty if nothing happened or no order is shown, and leaves an unknown topic out', async () => {
		expect(await sample(['user.fills'], {})).toBeUndefined();
		expect(await sample(['other', 'user.fills'], { 'fill.list': [fill(1)] })).toBe('fill:f1:o');
		expect(await sample(['user.fills'], { 'fill.list': [{ note: 'no fill at all' }] })).toBeDefined();
		const { reader } = service({ 'order.list': [{ note: 'no order at all' }] });
		expect(await sampleEvent(reader, { topics: ['user.orders'] })).toBeUndefined();
	});

	it('a sample of a book is the current book', async () => {
		const { reader, requests } = service({});
		expect(await sampleEvent(reader, { topics: ['orderbook.USD_NGN'] })).toMatchObject({
			topic: 'orderbook.USD_NGN',
			eventKey: 'orderbook.USD_NGN:sample',
			data: { sequence: 7 },
		});
		expect(requests.at(-1)).toEqual(['market.orderBook', { pair_id: 'USD/NGN' }]);
	});
});
