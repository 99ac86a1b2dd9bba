import { named, type Warning } from '@partner-exchange/core';
import { levelsOf, orderIdOf, orderIn } from '@partner-exchange/core/testing';
import { instantOf } from '../../packages/core/src/wire/payload';
import { success, useWire } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';
const RECIPIENTS = 'GET /partner/wallets/recipients';
const BALANCES = 'GET /partner/wallets/balances/overview';

const { wire, client, warnings, context } = useWire();

const order = {
	id: 'o1',
	client_order_id: 'c1',
	pair_id: 'USD/NGN',
	status: 'filled',
	quantity: '10.00',
	price: '1500.00',
};
const texts = (kind: Warning['kind']) => warnings.filter((warning) => warning.kind === kind).map(({ text }) => text);

describe('an answer', () => {
	it('passes an answer as it was sent, with unknown fields and every digit', async () => {
		const data = { count: 1, orders: [{ ...order, brand_new: { deep: ['1.10'] } }], next: null };
		wire.on(ORDERS, success(data));
		await expect(client.order.list({}, context)).resolves.toEqual(data);
		expect(texts('news')).toContain('Get Many Orders: brand_new is not documented');
		expect(texts('drift')).toEqual([]);
	});

	it('accepts new statuses and fields, and reports them', async () => {
		wire.on(ORDERS, success({ count: 1, orders: [{ ...order, status: 'paused' }] }));
		await expect(client.order.list({}, context)).resolves.toMatchObject({ orders: [{ status: 'paused' }] });
		expect(texts('news')).toEqual(['Get Many Orders: status paused is not documented']);
	});

	it('turns an amount that came as a number into its exact text, and warns', async () => {
		const body = `{"status":"success","data":{"count":1,"orders":[{"id":"o1","status":"filled","quantity":0.1,"price":1500.10,"filled_quantity":1e-7}]}}`;
		wire.on(ORDERS, { body });
		const { orders } = await client.order.list({}, context);
		expect(orders[0]).toMatchObject({ quantity: '0.1', price: '1500.10', filled_quantity: '0.0000001' });
		expect(texts('drift').join()).toMatch(/quantity came as a number.*price came as a number and is passed on as text/);
	});

	it('does so in the levels of a book and in balances, too', async () => {
		const levels = [{ price: 1500.1, quantity: '1.00' }, { price: 1e-7 }];
		wire.on(
			'GET /partner/exchange/orderbook/USD%2FNGN/snapshot',
			success({ pair_id: 'USD/NGN', bids: levels, asks: [] }),
		);
		await expect(client.market.orderBook({ pair_id: 'USD/NGN' }, context)).resolves.toMatchObject({
			bids: [{ price: '1500.1', quantity: '1.00' }, { price: '0.0000001' }],
		});
		wire.on(BALANCES, success({ balances: [{ currency: 'NGN', available: 5 }], credit: { credit_used: 2 } }));
		await expect(client.wallet.balances({})).resolves.toEqual({
			...{ balances: [{ currency: 'NGN', available: '5' }], credit: { credit_used: '2' } },
		});
	});

	it('reads a bare array where an object is documented, with a note', async () => {
		wire.on(ORDERS, success([order]));
		const items = [];
		for await (const item of client.items('order.list', {}, context)) items.push(item);
		expect(items).toEqual([order]);
		expect(texts('drift')).toContain('Get Many Orders: the list is documented under orders and came as a bare array');
	});

	it.each([
		['a bare array, as documented', [{ id: 'r1' }], 0],
		['an array under its name', { recipients: [{ id: 'r1' }] }, 1],
		['an array under another name', { items: [{ id: 'r1' }] }, 1],
		['an array two levels down', { data: { recipients: [{ id: 'r1' }] } }, 1],
	])('reads recipients listed as %s', async (_, data, notes) => {
		wire.on(RECIPIENTS, success(data));
		const items = [];
		for await (const item of client.items('recipient.list', {}, context)) items.push(item);
		expect(items).toEqual([{ id: 'r1' }]);
		expect(texts('drift')).toHaveLength(notes);
	});

	it('keeps a third currency, an unseen credit status and rails of any shape in balances', async () => {
		const data = {
			balances: ['NGN', 'USD', 'GBP'].map((currency, index) => ({
				currency,
				available: '1.00',
				rail_equivalents: [null, [], [{ any: 1 }]][index],
			})),
			credit: { status: 'frozen', withdrawal_blocked: true, overdue: false, next_due_at: null },
			generated_at: '2026-01-31T00:00:00Z',
		};
		wire.on(BALANCES, success(data));
		await expect(client.wallet.balances({}, context)).resolves.toEqual(data);
		expect(texts('drift')).toEqual([]);
	});

	it('reads recipients with null bank fields and null chains', async () => {
		const data = [
			{ id: 'r1', recipient_type: 'crypto', account_name: null, bank_code: null, chain: 'TRON' },
			{ id: 'r2', recipient_type: 'fiat', bank_code: '058', chain: null, crypto_address: null },
		];
		wire.on(RECIPIENTS, success(data));
		await expect(client.recipient.list({}, context)).resolves.toEqual(data);
		expect(warnings).toEqual([]);
	});
});

describe('filters whose names are assumed', () => {
	const orders = [
		order,
		{ ...order, id: 'o2', status: 'pending' },
		{ ...order, id: 'o3', pair: 'EUR/NGN', pair_id: undefined },
	];
	beforeEach(() => wire.on(ORDERS, success({ count: 3, orders })));

	it('filters a list itself when the service ignores the assumed filter', async () => {
		const answer = await client.order.list({ status: 'pending' }, context);
		expect(answer).toEqual({ count: 3, orders: [orders[1]] });
		expect(texts('filtered')).toHaveLength(1);
	});

	it.each([
		['filled', ['o1']],
		['cancelled', []],
		['accepted', ['o4']],
		['open', ['o2', 'o4']],
	] as const)(
		'shows an order in a status that is not documented among the open ones alone: %s',
		async (status, expected) => {
			wire.on(ORDERS, success({ orders: [...orders.slice(0, 2), { ...order, id: 'o4', status: 'paused' }] }));
			const answer = await client.order.list({ status });
			expect(answer.orders.map(({ id }) => id)).toEqual(expected);
			wire.on('GET /partner/wallets/transactions', success([{ id: 't1', status: 'queued' }]));
			await expect(client.transaction.list({ status: 'completed' })).resolves.toEqual([]);
		},
	);

	it('filters every page itself, under the plausible names of the field', async () => {
		const ids = [];
		for await (const { id } of client.items('order.list', { pair_id: 'EUR/NGN' })) ids.push(id);
		expect(ids).toEqual(['o3']);
	});

	it('reads whole pages for a filter it applies itself, however few items are wanted', async () => {
		for await (const _ of client.items('order.list', { status: 'pending' }, { limit: 1 }));
		expect(wire.calls(ORDERS)[0]!.path).toContain('limit=100');
	});

	it('keeps a record that does not show the filtered field', async () => {
		wire.on(ORDERS, success({ orders: [{ id: 'o9' }] }));
		await expect(client.order.list({ status: 'pending' })).resolves.toEqual({ orders: [{ id: 'o9' }] });
	});
});

describe('readers', () => {
	it.each([
		['bare with id', { id: 'o1' }],
		['bare with order_id', { order_id: 'o1' }],
		['under order', { order: { id: 'o1' } }],
		['under order with order_id', { order: { order_id: 'o1' } }],
		['first of a list', [{ id: 'o1' }]],
	])('reads the order %s', (_, data) => {
		expect(orderIdOf(orderIn(data))).toBe('o1');
	});

	it.each([null, '0', undefined])('reads a market order with price %p', async (price) => {
		wire.on(
			'GET /partner/exchange/orders/o1',
			success({ ...order, price, avg_fill_price: null, filled_quantity: '0' }),
		);
		await expect(client.order.get({ order_id: 'o1' }, context)).resolves.toMatchObject({ id: 'o1' });
	});

	it.each(['0', '0.00', null])('reads an order without a fill, whose average price is %p', async (avg_fill_price) => {
		const unfilled = { ...order, status: 'accepted', filled_quantity: '0', avg_fill_price };
		wire.on('GET /partner/exchange/orders/o1', success(unfilled));
		await expect(client.order.get({ order_id: 'o1' }, context)).resolves.toEqual({
			...unfilled,
			remaining_quantity: '10.00',
		});
		expect(named('fill', unfilled)).toMatchObject({ quantity: '10.00' });
	});

	it('sorts a book and drops its empty levels', () => {
		const level = (price: string, quantity: string) => ({ price, quantity });
		const levels = [level('9.5', '1'), level('10', '0'), level('10.25', '2.00'), level('2', '1')];
		expect(levelsOf({ bids: levels }, 'bids').map(({ price }) => price)).toEqual(['10.25', '9.5', '2']);
		expect(levelsOf({ asks: levels }, 'asks').map(({ price }) => price)).toEqual(['2', '9.5', '10.25']);
		expect(levelsOf({ bids: [] }, 'asks')).toEqual([]);
		const padded = [level('1', ''), { price: null, quantity: null }, { price: '', quantity: 0 }];
		expect(levelsOf([...padded, { price: 1.5, quantity: '2' }], 'asks')).toEqual([level('1.5', '2')]);
		for (const around of [{ book: { asks: padded, bids: levels } }, { data: { book: { bids: levels } } }])
			expect(levelsOf(around, 'bids')).toHaveLength(3);
	});

	it.each([
		...['["1500.00","1"]', '[1500.5,"1"]', '["1500.00",1]', '"1500.00"', 'null', '{"price":"1500.00","size":"1"}'],
		...['{"price":1e400,"quantity":"1"}', '{"price":"1500.00","quantity":"1e400"}', '{"price":"-1","quantity":"1"}'],
		...[
			'{"price":null,"quantity":"1"}',
			'{"price":"","quantity":"1"}',
			'{"price":"0","quantity":"1"}',
			'{"price":"1"}',
		],
		...['{"price":"1,500.00","quantity":"1"}', '{"price":{"value":"1500"},"quantity":"1"}'],
	])('takes no other price where the best level of a book is %s', async (odd) => {
		const body = `{"status":"success","data":{"pair_id":"USD/NGN","asks":[${odd},{"price":"1600.00","quantity":"9"}],"bids":[]}}`;
		wire.on('GET /partner/exchange/orderbook/USD%2FNGN/snapshot', { body });
		wire.on('GET /partner/exchange/markets', success([{ pair_id: 'USD/NGN' }]));
		const asked = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '1' } as const;
		await expect(client.order.estimate(asked)).rejects.toMatchObject({
			...{ code: 'malformed_response', message: expect.stringContaining('A level of the order book cannot be read') },
		});
	});

	it.each([{ '1500.00': '1' }, '1500.00', { price: ['1500.00'], quantity: ['1'] }])(
		'takes no side of a book for empty that shows offers in another form: %j',
		(asks) => {
			expect(() => levelsOf({ bids: [], asks }, 'asks')).toThrow('asks');
			expect(levelsOf({ bids: [], asks: null }, 'asks')).toEqual([]);
			expect(() => levelsOf({ sell: asks }, 'asks')).toThrow('asks');
		},
	);

	it.each([
		['ticker', { bid: '1', ask: '2' }, { best_bid: '1', best_ask: '2' }],
		['ticker', { best_bid: { price: '1', quantity: '5' }, best_ask: { price: '2' } }, { best_bid: '1', best_ask: '2' }],
		['ticker', { ticker: { bid_price: '1', ask_price: '2' } }, { best_bid: '1', best_ask: '2' }],
		['bank', { bank_code: '058', bank_name: 'GTB' }, { bank_code: '058', bank_name: 'GTB' }],
		['bank', { code: '058', name: 'GTB' }, { bank_code: '058', bank_name: 'GTB' }],
		['bank', { bank: { id: 58, name: 'GTB' } }, { bank_code: '58', bank_name: 'GTB' }],
		['depositAccount', { account_number: '01', bank_name: 'GTB' }, { account_number: '01', bank_name: 'GTB' }],
		['depositAccount', { account: { number: '01', bank: { name: 'GTB' } } }, { account_number: '01' }],
		['depositAccount', { nuban: '01', bank: { name: 'GTB' } }, { account_number: '01', bank_name: 'GTB' }],
		['fill', { id: 'f1', order_id: 'o1' }, { fill_id: 'f1', order_id: 'o1' }],
		['fill', { execution_id: 'f1', order: 'o1' }, { fill_id: 'f1', order_id: 'o1' }],
		['fill', { trade_id: 'f1', order: { id: 'o1' } }, { fill_id: 'f1', order_id: 'o1' }],
		['transaction', { id: 't1', status: 'completed' }, { id: 't1', status: 'completed' }],
		['transaction', { transaction_id: 't1', state: 'completed' }, { id: 't1', status: 'completed' }],
		['transaction', { transaction: { public_id: 't1', status: 'completed' } }, { id: 't1', status: 'completed' }],
		['chain', { code: 'TRON', name: 'Tron' }, { chain: 'TRON', name: 'Tron' }],
		['chain', { chain: 'TRON', display_name: 'Tron' }, { chain: 'TRON', name: 'Tron' }],
		['chain', { network: 'TRON' }, { chain: 'TRON' }],
	] as const)('reads from a %s what it shows in %j', (kind, record, row) => {
		expect(named(kind, record)).toMatchObject(row);
	});

	it.each([
		['2026-01-31T01:00:00+01:00'],
		['2026-01-31T00:00:00Z'],
		['2026-01-31T00:00:00.000Z'],
		['2026-01-31T00:00:00'],
		['2026-01-31 00:00'],
		[1769817600],
		['1769817600'],
		[1769817600000],
	])('reads %p as the same moment in UTC', (timestamp) => {
		expect(instantOf(timestamp)).toBe(Date.UTC(2026, 0, 31));
	});
});
