import { UNSORTED_ROWS_MAX } from '../../../packages/core/src/orders/log/search';
import { account, HOUR_MS, lists, PAGE, row, rows } from './placed-count-stage';
import { createPlacedOrders, ORDERS_MAX, periodMs } from '../../../packages/core/src/orders/limits/placed';
import { random } from '../../simulation/support/random';

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

	it('says that a list in no order is too long to be counted, unless the limit is reached already', async () => {
		const all = lists[2]![1](rows(UNSORTED_ROWS_MAX + 1_000, 1_000));
		const text = await account({ ordersPerDay: 50_000 }, () => all).place();
		expect(text).toContain('cannot be counted, and it has limits: the order list is longer than');
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

	it('refuses an order under a limit if the list shows open orders alone and has no status filter', async () => {
		const counting = account({ ordersPerDay: 5 }, () => []);
		counting.source.read = (_, { offset }) =>
			Promise.resolve({ orders: offset === 0 ? [row(1, 0, { status: 'accepted' })] : [] });
		expect(await counting.place()).toContain('shows no order that is over and does not filter by status');
	});

	it('dates the orders of the list by the clock of the service', async () => {
		const all = [row(1, HOUR_MS)];
		const counting = account({ ordersPerMinute: 1 }, () => all);
		counting.source.service = { at: (elapsed) => elapsed - HOUR_MS };
		expect(await counting.place()).toContain('has placed 1');
	});

	it('counts an order without a time, or with a future one, as of now', async () => {
		const odd = [row(1, 0, { created_at: null }), row(2, -HOUR_MS), row(3, 25 * HOUR_MS)];
		const counting = account({ ordersPerMinute: 2 }, () => odd);
		expect(await counting.place()).toContain('has placed 2');
		counting.pass(60_000);
		expect(await counting.place()).toBe('placed');
	});

	it.each(['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 0, '0'])(
		'counts an order of the time %j as of now',
		async (at) => {
			const counting = account({ ordersPerDay: 1 }, () => [row(1, 0, { created_at: at })]);
			expect(await counting.place()).toContain('has placed 1');
		},
	);

	it('counts orders one by one where the service repeats a client order ID', async () => {
		const all = rows(3).map((order) => ({ ...order, client_order_id: 'the same' }));
		expect(await account({ ordersPerDay: 3 }, () => all).place()).toContain('has placed 3');
	});

	/** Orders of before, the newest first. */
	it('counts rows without an ID, each once however often it is read', async () => {
		const all = [0, 1, 2].map((number) => row(number, HOUR_MS + number, { id: undefined, status: 'accepted' }));
		const counting = account({ ordersPerDay: 4 }, () => all);
		expect(await counting.place()).toBe('placed');
		counting.pass(61_000);
		for (const order of all) order.status = 'filled';
		expect(await counting.place()).toContain('has placed 4');
	});

	it('values an order that shows zero as its quantity at what was filled of it', async () => {
		const all = [row(1, HOUR_MS, { quantity: '0', filled_quantity: '90' })];
		expect(await account({ valuePerDay: '905' }, () => all).place()).toContain('would make it 910');
	});

	it.each([24 * HOUR_MS, -24 * HOUR_MS])(
		'counts the orders of the day by whichever clock makes them younger: %i',
		async (aheadMs) => {
			const counting = account({ ordersPerDay: 1 }, () => [row(1, HOUR_MS)]);
			counting.source.service = { at: () => counting.source.clock.now() + aheadMs };
			expect(await counting.place()).toContain('has placed 1');
		},
	);

	it('refuses an order under a limit if a counted one shows no quantity', async () => {
		const all = [row(1, 0, { quantity: null })];
		expect(await account({ valuePerDay: '1000' }, () => all).place()).toContain(
			'neither a quantity nor what was filled of the order order-1',
		);
		expect(await account({ ordersPerDay: 2 }, () => all).place()).toBe('placed');
	});
});

const STEPS = 3_000;

const KEYS = 40;

interface Counted {
	key: string;
	id?: string;
	at: number;
	value: number;
	currency: string;
}

describe('the orders of a period', () => {
	it.each([
		[1, 'day'],
		[2, 'day'],
		[3, 'minute'],
		[4, 'minute'],
	] as const)('counts what a plain list of them counts, whatever comes and goes (seed %i, a %s)', (seed, period) => {
		const chance = random(seed);
		const unitMs = periodMs[period] / 100;
		const placed = createPlacedOrders();
		const currencies = ['NGN', 'USD', ''];
		const [told, counted]: [string[], string[]] = [[], []];
		let plain: Counted[] = [];
		let now = 1_000 * unitMs;
		for (let step = 0; step < STEPS; step += 1) {
			now += chance.below(5) * unitMs;
			placed.within('day', now, '');
			plain = plain.filter(({ at }) => now - at < periodMs.day);
			const number = chance.below(KEYS);
			const [key, id] = [`sent ${number}`, `id ${number}`];
			// Times repeat, and most are the latest.
			const at = now - (chance.happens(0.5) ? 0 : chance.below(20) * 5 * unitMs);
			const [value, currency] = [chance.below(100), chance.pick(currencies)];
			const [sent, shown] = [plain.find((row) => row.key === key), plain.find((row) => row.id === id)];
			const what = chance.pick(['send', 'show', 'show', 'identify'] as const);
			if (what === 'send' && !sent) {
				placed.send(key, { at, value: String(value), currency });
				plain.push({ key, at, value, currency });
			} else if (what === 'show') {
				placed.show({ id, at, value: String(value), currency, isMarket: true });
				if (shown) shown.value = value;
				else plain.push({ key: `order ${id}`, id, at, value, currency });
			} else if (what === 'identify') {
				placed.identify(key, id);
				if (sent && sent !== shown) {
					plain = plain.filter((row) => row !== shown);
					sent.id = id;
				}
			}
			const within = plain.filter((row) => now - row.at < periodMs[period]);
			const wanted = chance.pick(currencies);
			const alike = within.filter((row) => [wanted, row.currency].includes('') || row.currency === wanted);
			const sum = alike.reduce((total, row) => total + row.value, 0);
			const { count, value: worth } = placed.within(period, now, wanted);
			told.push(`${step}: ${count} worth ${worth}, ${key} among them: ${placed.has(key)}`);
			const isThere = plain.some((row) => row.key === key);
			counted.push(`${step}: ${within.length} worth ${sum}, ${key} among them: ${isThere}`);
		}
		expect(told.join('\n')).toBe(counted.join('\n'));
	});

	it('counts the value of the oldest order with the next one where they are more than it remembers', () => {
		const placed = createPlacedOrders();
		for (let number = 0; number <= ORDERS_MAX; number += 1)
			placed.send(String(number), { at: number, value: number === 0 ? '7' : '1', currency: 'NGN' });
		expect([placed.has('0'), placed.has('1')]).toEqual([false, true]);
		expect(placed.within('day', ORDERS_MAX, 'NGN')).toEqual({ count: ORDERS_MAX, value: String(ORDERS_MAX + 7) });
	});

	it.each([
		['USD/EUR', 'placed'],
		['usd-eur', 'placed'],
		['EUR/NGN', 'worth 25 per 24 hours, and this one would make it 30'],
		['USDNGN', 'worth 25 per 24 hours, and this one would make it 30'],
	])(
		'adds values of one currency alone to an order of %s, and what may be of either to both',
		async (pair_id, said) => {
			const ngn = [row(1, HOUR_MS), row(2, HOUR_MS)];
			const { place } = account({ valuePerDay: '25' }, () => ngn);
			expect(await place({ pair_id })).toContain(said);
			const hidden = account({ valuePerDay: '25' }, () => ngn.map((order) => ({ ...order, pair_id: undefined })));
			expect(await hidden.place({ pair_id })).toContain('would make it 30');
		},
	);
});
