import { createAccountLimits, ExchangeError, type Item, type LimitSettings } from '@partner-exchange/core';
import { CLOCKS_DIFFER_MS } from '../../../packages/core/src/orders/handlers/create';
import { PLACED_ROWS_MAX } from '../../../packages/core/src/orders/limits/placed-list';
import { countSource } from './counted';

const HOUR_MS = 3_600_000;
const PAGE = 100;
const BEGAN = Date.UTC(2026, 0, 5, 9);

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** An order of the list that was placed so long before. */
const row = (number: number, agoMs: number, more: Item = {}): Item => ({
	id: `order-${number}`,
	client_order_id: `name-${number}`,
	pair_id: 'USD/NGN',
	order_type: 'limit',
	quantity: '1',
	price: '10',
	filled_quantity: '1',
	avg_fill_price: '10',
	status: 'filled',
	created_at: timeOf(BEGAN - agoMs),
	...more,
});

/** So many rows, the newest first, one every ten seconds or as given. */
const rows = (count: number, apartMs = 10_000, first = 0): Item[] =>
	Array.from({ length: count }, (_, number) => row(number + first, (number + 1) * apartMs));

/** What becomes of the next order of an account that has this list. */
function account(settings: LimitSettings, list: () => Item[]) {
	let now = BEGAN;
	const clock = { elapsed: () => now };
	const limits = createAccountLimits(clock, settings);
	const { source, reads } = countSource(clock, list);
	let number = 0;
	const place = (more: Item = {}): Promise<string> =>
		limits
			.admit(
				{
					...{ key: `key-${(number += 1)}`, kind: 'create', label: 'Create Order', client_order_id: `mine-${number}` },
					...{ pair_id: 'USD/NGN', quantity: '1', price: '10', ...more },
				},
				source,
			)
			.then(
				() => 'placed',
				(error: Error) => error.message,
			);
	return { limits, source, reads, place, pass: (ms: number) => void (now += ms) };
}

const lists: [string, (newestFirst: Item[]) => Item[]][] = [
	['newest first', (all) => all],
	['oldest first', (all) => all.toReversed()],
	['in no order', (all) => all.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))],
];

describe('the orders of a list that count', () => {
	it.each(lists)('counts the orders of the last day in a list that shows the %s', async (_, sorted) => {
		const all = sorted(rows(1_000, HOUR_MS / 10));
		expect(await account({ ordersPerDay: 239 }, () => all).place()).toContain('has placed 239');
		expect(await account({ ordersPerDay: 240 }, () => all).place()).toBe('placed');
	});

	it.each(lists.slice(0, 2))(
		'counts 10,000 orders of a day in a list of 30,000 that shows the %s',
		async (_, sorted) => {
			const all = sorted([...rows(10_000, 5_000), ...rows(20_000, 24 * HOUR_MS, 10_000)]);
			const counting = account({ ordersPerDay: 10_001 }, () => all);
			expect(await counting.place()).toBe('placed');
			expect(counting.reads.length).toBeLessThan((10_000 / PAGE) * 1.5);
			expect(await account({ ordersPerDay: 10_000 }, () => all).place()).toContain('has placed 10000');
		},
	);

	it('holds an order that was sent and not found back where others have used up its place', async () => {
		const { limits, place } = account({ ordersPerDay: 2 }, () => []);
		const again = { key: 'one that was sent' };
		expect(await place(again)).toBe('placed');
		limits.orderShown(row(1, 0));
		expect(await place(again)).toBe('placed');
		limits.orderShown(row(2, 0));
		expect(await place(again)).toContain('The account may place 2 orders per 24 hours');
	});

	it('says that orders are too many to count at once, unless the limit is reached already', async () => {
		const all = rows(PLACED_ROWS_MAX + 1_000, 1_000);
		const told = await account({ ordersPerDay: 50_000 }, () => all).place();
		expect(told).toContain(`cannot be counted, and it has limits: they are more than ${PLACED_ROWS_MAX} rows`);
		expect(await account({ ordersPerDay: 500 }, () => all).place()).toContain('may place 500 orders');
	});

	it('continues the count from its latest reading with an overlap of a minute', async () => {
		let all = rows(5_000);
		const counting = account({ ordersPerDay: 10_000 }, () => all);
		await counting.place();
		const before = counting.reads.length;
		counting.pass(60_000);
		all = [row(9_001, -50_000), row(9_000, 30_000), ...all];
		counting.limits.configure({ ordersPerDay: 5_003 });
		expect(await counting.place()).toContain('has placed 5003');
		expect(counting.reads.length - before).toBeLessThanOrEqual(2);
	});

	it('counts by status where the list shows open orders alone', async () => {
		const all = rows(5);
		const counting = account({ ordersPerDay: 5 }, () => []);
		const { read } = counting.source;
		counting.source.read = (id, input) =>
			input.status === 'filled' && input.offset === 0 ? Promise.resolve({ orders: all }) : read(id, input);
		expect(await counting.place()).toContain('has placed 5');
	});

	it('cannot count where the list shows open orders alone and has no status filter', async () => {
		const counting = account({ ordersPerDay: 5 }, () => []);
		counting.source.read = (_, { offset }) =>
			Promise.resolve({ orders: offset === 0 ? [row(1, 0, { status: 'accepted' })] : [] });
		expect(await counting.place()).toContain('shows no order that is over and does not filter by status');
		counting.source.read = (_, { status }) =>
			status === undefined
				? Promise.resolve({ orders: [] })
				: Promise.reject(new ExchangeError('refused', { what: 'There is no such filter' }));
		expect(await counting.place()).toContain('shows no order that is over and does not filter by status');
	});

	it.each([
		['shows one page only', 'does not go on to a second page', (all: Item[]) => ({ orders: all })],
		['counts more than it shows', 'counts 7 orders and shows', (all: Item[]) => ({ count: 7, orders: all })],
	])('cannot count where the list %s', async (_, why, page) => {
		const counting = account({ ordersPerDay: 500 }, () => []);
		counting.source.read = () => Promise.resolve(page(rows(5)));
		expect(await counting.place()).toContain(why);
	});

	it('cannot count from an answer that holds no list', async () => {
		const counting = account({ ordersPerDay: 5 }, () => []);
		counting.source.read = () => Promise.resolve({});
		expect(await counting.place()).toContain('The answer shows no list');
	});

	it('counts an order without a time, or with a future one, as of now', async () => {
		const odd = [row(1, 0, { created_at: null }), row(2, -HOUR_MS), row(3, 25 * HOUR_MS)];
		const counting = account({ ordersPerMinute: 2 }, () => odd);
		expect(await counting.place()).toContain('has placed 2');
		counting.pass(60_000);
		expect(await counting.place()).toBe('placed');
	});

	it('counts orders one by one where the service repeats a client order ID', async () => {
		const all = rows(3).map((order) => ({ ...order, client_order_id: 'the same' }));
		expect(await account({ ordersPerDay: 3 }, () => all).place()).toContain('has placed 3');
	});

	it.each([
		['a limit order, whatever was filled', { filled_quantity: '0.5', avg_fill_price: '9' }, '10'],
		['a cancelled limit order', { status: 'cancelled', filled_quantity: '0' }, '10'],
		['a market order at what was filled', { order_type: 'market', price: null, avg_fill_price: '11' }, '11'],
		['an unfilled market order that is over', { order_type: 'market', status: 'cancelled', filled_quantity: '0' }, '0'],
		['a market order that waits', { order_type: 'market', status: 'pending', filled_quantity: '0' }, '10'],
		[
			'a market order that is filled in part',
			{ order_type: 'market', status: 'partially_filled', filled_quantity: '0.5', avg_fill_price: '12' },
			'11',
		],
		['a market order of which no price is shown', { order_type: 'market', avg_fill_price: null }, '10'],
		['an order whose price is below zero', { price: '-1000' }, '10'],
	])('values a counted order: %s', async (_, more, worth) => {
		const all = [row(1, 0, more)];
		const fits = account({ valuePerDay: String(Number(worth) + 10) }, () => all);
		expect(await fits.place()).toBe('placed');
		const less = account({ valuePerDay: String(Number(worth) + 9.99) }, () => all);
		expect(await less.place()).toContain(`would make it ${Number(worth) + 10}`);
	});

	it('cannot value a counted order that shows no quantity', async () => {
		const all = [row(1, 0, { quantity: null })];
		expect(await account({ valuePerDay: '1000' }, () => all).place()).toContain('neither a quantity nor');
		expect(await account({ ordersPerDay: 2 }, () => all).place()).toBe('placed');
	});
});

describe('the orders of this process', () => {
	it('counts an order of this process once when the list or the stream shows it before the answer', async () => {
		const counting = account({ ordersPerDay: 3 }, () => []);
		await counting.place();
		counting.limits.orderShown(row(1, 0, { client_order_id: 'mine-1' }));
		counting.limits.orderShown({ order_id: 'order-1', status: 'pending', created_at: timeOf(BEGAN) }, 'key-1');
		expect([await counting.place(), await counting.place()]).toEqual(['placed', 'placed']);
		expect(await counting.place()).toContain('has placed 3');
	});

	it('counts a replaced order once when its successor appears under the same name', async () => {
		const counting = account({ ordersPerDay: 3 }, () => []);
		await counting.place();
		counting.limits.orderShown({ order_id: 'order-1' }, 'key-1');
		await counting.place({ kind: 'replace' });
		counting.limits.orderShown(row(2, 0, { client_order_id: 'mine-1' }));
		expect(await counting.place()).toContain('has placed 3');
		counting.limits.orderShown({ original_order_id: 'order-1', new_order_id: 'order-2' }, 'key-2');
		expect(await counting.place()).toBe('placed');
	});

	it('counts an order that the stream shows at once', async () => {
		const counting = account({ ordersPerDay: 2 }, () => []);
		await counting.place();
		counting.limits.orderShown(row(7, 0));
		expect(await counting.place()).toContain('has placed 2');
	});

	it('counts an order from the stream in whatever shape it arrives', async () => {
		const counting = account({ valuePerDay: '100' }, () => []);
		await counting.place({ price: undefined });
		const market = row(1, 0, { client_order_id: 'mine-1', order_type: 'market', price: null, avg_fill_price: '91' });
		counting.limits.orderShown({ order: market });
		expect(await counting.place()).toContain('would make it 101');
		for (const odd of [{}, { id: 'order-2' }, row(3, 0, { created_at: null }), row(4, 25 * HOUR_MS)])
			counting.limits.orderShown(odd);
		expect(await counting.place({ price: '9' })).toBe('placed');
	});

	it('measures how far the times of orders lag behind the dates of the service', async () => {
		const all: Item[] = [];
		const counting = account({ ordersPerMinute: 3 }, () => all);
		await counting.place();
		const created_at = timeOf(BEGAN - CLOCKS_DIFFER_MS);
		counting.limits.orderShown({ order_id: 'order-1', created_at }, 'key-1');
		counting.pass(60_000);
		all.push(...[8, 9, 10].map((number) => row(number, CLOCKS_DIFFER_MS - 30_000)));
		expect(await counting.place()).toContain('has placed 3');
	});

	it('forgets the count under another key and reads again', async () => {
		const counting = account({ ordersPerDay: 1 }, () => []);
		await counting.place();
		expect(await counting.place()).toContain('has placed 1');
		counting.source.owner = { ...counting.source.owner, key: 'another' };
		expect(await counting.place()).toBe('placed');
	});

	it('shares one count reading among orders that wait together', async () => {
		const counting = account({ ordersPerDay: 3 }, () => []);
		const told = await Promise.all(Array.from({ length: 5 }, () => counting.place()));
		expect(told.filter((one) => one === 'placed')).toHaveLength(3);
		expect(counting.reads.filter(({ offset, status }) => offset === 0 && status === undefined)).toHaveLength(1);
	});
});
