import type { Item } from '@partner-exchange/core';
import type { History } from '../../../packages/core/src/stream/sources/history';
import { readOrderFills } from '../../../packages/core/src/stream/missing-fills';

/** The fills of order `o` as a list shows them, a hundred per page, and the queries made. */
async function read(rows: Item[]) {
	const requests: Item[] = [];
	const page = async (_list: string, input: Item) => {
		requests.push(input);
		return await Promise.resolve(rows.slice(Number(input.offset), Number(input.offset) + 100));
	};
	const events = await readOrderFills('o', { page } as unknown as History, { signal: new AbortController().signal });
	return { keys: new Set(events.map(({ key }) => key)), requests };
}

const fill = (index: number): Item => ({
	id: `f${index}`,
	order_id: 'o',
	quantity: '1',
	created_at: new Date(Date.UTC(2026, 0, 5) + index * 1_000).toISOString(),
});
const many = (count: number) => Array.from({ length: count }, (_, index) => fill(index));

describe('the fills of one order', () => {
	it.each([
		['newest', many(250).reverse()],
		['oldest', many(250)],
	])('reads the fills of one order whole, page after page, with the %s first', async (_name, rows) => {
		const { keys, requests } = await read(rows);
		expect(keys.size).toBe(250);
		expect(requests).toEqual([0, 90, 180, 240].map((offset) => ({ order_id: 'o', offset })));
	});

	it('tells the fills of one order from rows of another order, or of none, or of another kind', async () => {
		const { keys } = await read([
			...[fill(1), { ...fill(2), order_id: 'p' }, { ...fill(3), order_id: undefined }, {}],
			...[{ id: 'other', note: 'a row of something else' }, fill(4)],
		]);
		expect([...keys]).toEqual(['fill:f1:o', 'fill:f4:o']);
	});
});
