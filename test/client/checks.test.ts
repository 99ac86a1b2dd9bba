import type { OperationId } from '@partner-exchange/core/catalogue';
import type { CallContext, Warning } from '@partner-exchange/core';
import { drop, failure, success, useWire } from '../support/wire';

const ORDERS = 'POST /partner/exchange/orders';
const MARKETS = 'GET /partner/exchange/markets';
const BOOK = 'GET /partner/exchange/orderbook/USD%2FNGN/snapshot';
const BALANCES = 'GET /partner/wallets/balances/overview';
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };

const { wire, client } = useWire();
beforeEach(() => wire.on(ORDERS, success({ order_id: 'o1', status: 'pending', created_at: '2026-01-31T00:00:00Z' })));

const offer = (market: object) => wire.on(MARKETS, success({ markets: [{ pair_id: 'USD/NGN', ...market }] }));
const sent = () => wire.calls(ORDERS).length;

async function place(changes: object = {}, options: CallContext['options'] = {}) {
	const warnings: Warning[] = [];
	const answer = client.call<OperationId>(
		'order.create',
		{ ...order, ...changes },
		{ options, warn: (warning) => warnings.push(warning) },
	);
	const error = await answer.then(
		() => undefined,
		(reason) => reason,
	);
	return { error, notes: warnings.filter(({ kind }) => kind === 'not_checked').map(({ text }) => text) };
}

describe('a market', () => {
	it.each([
		['flat names', { min_quantity: '20', max_quantity: '100', min_notional: '40000.00' }],
		['other names', { min_order_size: '20', max_order_size: '100', min_order_value: '40000.00' }],
		['groups', { limits: { quantity: { min: '20', max: '100' }, notional: { min: '40000.00' } } }],
		['numbers', { minimum_quantity: 20, maximum_quantity: 100, minNotional: 40000 }],
	])('refuses by name an order outside the sizes a market shows by %s', async (_, market) => {
		offer(market);
		const small = await place({ quantity: '19.99' });
		expect(small.error).toMatchObject({ field: 'quantity', details: { rule: 'min_quantity', min: '20' } });
		expect(small.error.message).toContain('The smallest valid value is 20');
		const large = await place({ quantity: '100.01' });
		expect(large.error.message).toContain('The largest valid value is 100');
		const cheap = await place({ quantity: '20', price: '1999.99' });
		expect(cheap.error).toMatchObject({ details: { rule: 'min_notional' } });
		expect(cheap.error.message).toContain(
			'Quantity times price is 39999.8, below the minimum value of the market. It must be at least 40000',
		);
		expect((await place({ quantity: '20', price: '2000.00' })).error).toBeUndefined();
		expect(sent()).toBe(1);
	});

	it('never proposes a value outside the bounds of the market', async () => {
		offer({ quantity_step: '7', min_quantity: '10', max_quantity: '20' });
		expect((await place({ quantity: '11' })).error.message).toContain('The nearest valid value is 14');
		expect((await place({ quantity: '20' })).error.message).toContain('The nearest valid value is 14');
	});

	it('sends the amount as it was written when it keeps the step, without rounding', async () => {
		offer({ quantity_step: '0.01', tick_size: '0.05' });
		expect((await place({ quantity: '10.00', price: '1500.05' })).error).toBeUndefined();
		expect(JSON.parse(wire.calls(ORDERS)[0]!.body)).toMatchObject({ quantity: '10.00', price: '1500.05' });
	});

	it('sends the order when the market shows no rules, and says so', async () => {
		offer({});
		const { error, notes } = await place();
		expect(error).toBeUndefined();
		expect(notes).toEqual([
			'The market record of USD/NGN does not show quantity step, minimum quantity, maximum quantity, trading status, order types, price step, so that was not checked',
		]);
	});

	it.each([
		['is refused', failure(403, {}), 'forbidden'],
		['breaks off', drop, 'unavailable'],
		['is a web page', { body: '<html>' }, 'malformed_response'],
	])('sends the order when the market list %s, and says so', async (_, answer, code) => {
		wire.on(MARKETS, answer);
		const { error, notes } = await place();
		expect(error).toBeUndefined();
		expect(notes).toEqual([`The markets could not be read (${code}), so the order was not checked against them`]);
	});
});

describe('the balance', () => {
	const balances = (currency: string, available: string, total = '999999999.00') =>
		wire.on(BALANCES, success({ balances: [{ currency, available, locked: '0.00', total }] }));
	const checked = { check_balance: true, check_market: false };
	beforeEach(() => offer({ base_currency: 'USD', quote_currency: 'NGN' }));

	it('takes neither of two balances of a currency for the one that an order spends', async () => {
		const rows = ['1.00', '20000.00'].map((available) => ({ currency: 'NGN', available }));
		wire.on(BALANCES, success({ balances: rows }));
		expect(await place({}, checked)).toMatchObject({
			error: undefined,
			notes: ['The available balance was not checked: the balances show no single available NGN'],
		});
	});

	it('checks an order against the available balance, not the total', async () => {
		balances('NGN', '14999.99');
		const { error } = await place({}, checked);
		expect(error).toMatchObject({
			field: 'quantity',
			details: { rule: 'available', needed: '15000', available: '14999.99', currency: 'NGN' },
		});
		balances('NGN', '15000.00');
		expect((await place({}, checked)).error).toBeUndefined();
		expect(sent()).toBe(1);
	});

	it('checks a market buy against the offers in the book, cheapest first', async () => {
		wire.on(
			BOOK,
			success({
				bids: [{ price: '1.00', quantity: '999.00' }],
				asks: [
					{ price: '1600.00', quantity: '99.00' },
					{ price: '1500.00', quantity: '4.00' },
				],
			}),
		);
		balances('NGN', '15599.99');
		const { error } = await place({ order_type: 'market', price: null }, checked);
		expect(error).toMatchObject({ code: 'invalid_input', details: { needed: '15600', available: '15599.99' } });
		expect(error.message).toContain(
			'At the prices of this moment the order needs 15600 NGN, but only 15599.99 NGN is available',
		);
		balances('NGN', '15600.00');
		expect(await place({ order_type: 'market', price: null }, checked)).toEqual({ error: undefined, notes: [] });
		expect(sent()).toBe(1);
	});

	it.each([
		[
			'are too few',
			success({ bids: [], asks: [{ price: '1500.00', quantity: '9.99' }] }),
			'does not show enough offers',
		],
		[
			'have another shape',
			success({ bids: [], asks: [['1500.00', '99.00']] }),
			'The prices could not be read (malformed_response)',
		],
		['may not be read', failure(403, {}), 'The prices could not be read (forbidden)'],
	])('skips the balance check of a market buy when the offers %s, and says so', async (_, book, said) => {
		wire.on(BOOK, book);
		balances('NGN', '1.00');
		const { error, notes } = await place({ order_type: 'market', price: null }, checked);
		expect(error).toBeUndefined();
		expect(notes.join()).toContain(said);
	});

	it('sends the order when balances cannot be read, and says so', async () => {
		wire.on(BALANCES, failure(503, {}));
		expect(await place({}, checked)).toEqual({
			error: undefined,
			notes: ['The balances could not be read (unavailable), so the order was not checked against them'],
		});
	});

	it('skips the balance check of a replacement whose order cannot be read, and says so', async () => {
		const notes: string[] = [];
		const replacement = { pair_id: 'USD/NGN', order_id: 'o1', quantity: '10.00', price: '1500.00' };
		const replaced = client.call('order.replace', replacement, {
			options: checked,
			warn: ({ text }) => notes.push(text),
		});
		await expect(replaced).rejects.toMatchObject({ code: 'not_available' });
		expect(notes).toEqual(['The orders could not be read (not_found), so the order was not checked against them']);
	});
});
