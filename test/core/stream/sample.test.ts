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
const trade = (sequence: number): Item => ({ id: `t${sequence}`, sequence, price: '1', quantity: '1' });

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
		expect(await sample(['user.fills', 'user.orders'], lists)).toBe('order:o4:filled:-');
		expect(await sample(['user.fills', 'user.orders'], { ...lists, 'order.list': [order(2)] })).toBe('fill:f3:o');
		expect(
			await sample(['user.orders', 'user.fills'], { ...lists, 'order.list': [{ ...order(9), created_at: undefined }] }),
		).toBe('fill:f3:o');
	});

	it('a sample is empty if nothing happened, or the topic is unknown', async () => {
		expect(await sample(['user.fills'], {})).toBeUndefined();
		expect(await sample(['other', 'user.fills'], { 'fill.list': [fill(1)] })).toBe('fill:f1:o');
		expect(await sample(['user.fills'], { 'fill.list': [{ note: 'no fill at all' }] })).toBeDefined();
		const { reader } = service({ 'order.list': [{ note: 'no order at all' }] });
		expect(await sampleEvent(reader, { topics: ['user.orders'] })).toBeUndefined();
	});

	it('a sample passes the filters', async () => {
		const lists = { 'fill.list': [fill(3, { side: 'sell' }), fill(2, { side: 'buy' }), fill(1, { side: 'buy' })] };
		expect(await sample(['user.fills'], lists, { sides: ['buy'] })).toBe('fill:f2:o');
		expect(await sample(['user.fills'], lists, { sides: ['none'] })).toBeUndefined();
	});

	it('a sample of public trades is the one with the highest number, requested by the name of the pair', async () => {
		const { reader, requests } = service({
			'market.trades': [trade(2), trade(10), trade(9)],
			'market.list': [{ pair_id: 'A_B/C' }],
		});
		expect((await sampleEvent(reader, { topics: ['trades.A_B_C'] }))!.eventKey).toBe('trade:t10');
		expect(requests.find(([id]) => id === 'market.trades')![1]).toMatchObject({ pair_id: 'A_B/C' });
		const without = [trade(1), { id: 'x', price: '1' }];
		expect(await sample(['trades.USD_NGN'], { 'market.trades': without })).toBe('trade:t1');
		expect(await sample(['trades.USD_NGN'], { 'market.trades': without.toReversed() })).toBe('trade:t1');
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

	it('a sample asks for one page of a list', async () => {
		const rows = Array.from({ length: 3_000 }, (_, index) => fill(3_000 - index));
		const { reader, requests } = service({ 'fill.list': rows });
		expect((await sampleEvent(reader, { topics: ['user.fills'] }))!.eventKey).toBe('fill:f3000:o');
		expect(requests).toHaveLength(1);
	});

	it('a sample is found although it is not at the beginning of its page', async () => {
		const rows = [fill(5), fill(9), fill(7), { ...fill(8), created_at: undefined }];
		expect(await sample(['user.fills'], { 'fill.list': rows })).toBe('fill:f9:o');
	});
});
