import type { OperationId } from '@partner-exchange/core/catalogue';
import type { CallContext, Warning } from '@partner-exchange/core';
import { drop, failure, success, useWire, wireClient } from '../support/wire';

const ORDERS = 'POST /partner/exchange/orders';
const MARKETS = 'GET /partner/exchange/markets';
const BOOK = 'GET /partner/exchange/orderbook/USD%2FNGN/snapshot';
const BALANCES = 'GET /partner/wallets/balances/overview';
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };

const { wire, client, clock } = useWire();
beforeEach(() => {
	wire.on(ORDERS, success({ order_id: 'o1', status: 'pending', created_at: '2026-01-31T00:00:00Z' }));
});

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

	it.each([
		[{ status: 'halted' }, 'halted'],
		[{ trading_status: 'SUSPENDED' }, 'SUSPENDED'],
		[{ is_active: false }, 'not trading'],
		[{ rules: {}, state: 'cancel_only' }, 'cancel_only'],
	])('refuses an order for a closed market such as %j', async (market, text) => {
		offer(market);
		const { error } = await place();
		expect(error).toMatchObject({ field: 'pair_id', details: { rule: 'trading_status' } });
		expect(error.message).toContain(`USD/NGN is not open for trading (${text})`);
	});

	it('accepts only the order types and times in force the market lists', async () => {
		offer({ order_types: ['LIMIT'], time_in_force: ['GTC', 'IOC'] });
		expect((await place({ order_type: 'market', price: null })).error.message).toContain('It accepts LIMIT');
		expect((await place({ time_in_force: 'FOK' })).error.message).toContain('It accepts GTC, IOC');
		expect((await place({ time_in_force: 'IOC' })).error).toBeUndefined();
	});

	it('sends the order when the market shows no rules, and says so (checklist 37)', async () => {
		offer({});
		const { error, notes } = await place();
		expect(error).toBeUndefined();
		expect(notes).toEqual([
			'The market record of USD/NGN does not show quantity step, minimum quantity, maximum quantity, trading status, order types, price step, so that was not checked',
		]);
	});

	it('reports an unknown market status and sends the order', async () => {
		offer({ status: 'auction' });
		const { error, notes } = await place();
		expect(error).toBeUndefined();
		expect(notes.join()).toContain('trading status');
	});

	it('refuses a pair nobody lists, with the pairs there are', async () => {
		wire.on(MARKETS, success([{ symbol: 'USD/NGN' }, { symbol: 'EUR/NGN' }]));
		const { error } = await place({ pair_id: 'USD/GHS' });
		expect(error).toMatchObject({ code: 'invalid_input', field: 'pair_id' });
		expect(error.message).toContain(
			'There is no pair USD/GHS. The service offers USD/NGN, EUR/NGN; no order was placed',
		);
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

	it('sends the order when the market list names no pair, and says so', async () => {
		wire.on(MARKETS, success({ markets: [{ name: 'dollar' }] }));
		expect(await place()).toEqual({
			error: undefined,
			notes: ['The list of markets names no pair, so the rules of the market were not checked'],
		});
	});

	it('finds a market beside rows without a name, and a refusal lists those with one', async () => {
		wire.on(MARKETS, success({ markets: [{ name: 'dollar' }, { symbol: 'USD/NGN', status: 'halted' }] }));
		expect((await place()).error).toMatchObject({ details: { rule: 'trading_status' } });
		expect((await place({ pair_id: 'USD/GHS' })).error.message).toContain(
			'The service offers USD/NGN; no order was placed',
		);
	});

	it('stops the call when it is stopped during the read of the markets', async () => {
		const stop = new AbortController();
		wire.on(BALANCES, () => stop.abort());
		offer({ base_currency: 'USD', quote_currency: 'NGN' });
		const notes: string[] = [];
		const stopped = client.call<OperationId>('order.create', order, {
			signal: stop.signal,
			options: { check_balance: true, check_market: false },
			warn: ({ text }) => notes.push(text),
		});
		await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
		expect({ sent: sent(), notes }).toEqual({ sent: 0, notes: [] });
	});

	it('checks the market by default, and answers alike without a listener for notes', async () => {
		offer({ status: 'halted' });
		await expect(client.call<OperationId>('order.create', order)).rejects.toMatchObject({ field: 'pair_id' });
		wire.on(MARKETS, failure(503, {}));
		await wireClient(wire).call<OperationId>('order.create', order, { options: { check_balance: true } });
		expect(sent()).toBe(1);
	});

	it('reads the market list once for orders at the same time, and stopping one stops no other', async () => {
		const stop = new AbortController();
		wire.on(MARKETS, (_, response) => {
			stop.abort();
			setImmediate(() => response.end('{"status":"success","data":{"markets":[{"pair_id":"USD/NGN"}]}}'));
		});
		const stopped = client.call<OperationId>('order.create', order, { signal: stop.signal }).catch((reason) => reason);
		const other = await place();
		expect(other).toMatchObject({ error: undefined, notes: [expect.stringContaining('does not show')] });
		expect(await stopped).toMatchObject({ code: 'aborted' });
		expect(wire.calls(MARKETS)).toHaveLength(1);
	});

	it('reads the market list once a minute, and never when the check is off', async () => {
		offer({ status: 'trading' });
		await place();
		await place();
		expect(wire.calls(MARKETS)).toHaveLength(1);
		await new Promise<void>((over) => void clock.after(61_000, over));
		await place();
		await place({}, { check_market: false });
		expect(wire.calls(MARKETS)).toHaveLength(2);
	});
});

describe('the balance', () => {
	const balances = (currency: string, available: string, total = '999999999.00') =>
		wire.on(BALANCES, success({ balances: [{ currency, available, locked: '0.00', total }] }));
	const checked = { check_balance: true, check_market: false };
	beforeEach(() => offer({ base_currency: 'USD', quote_currency: 'NGN' }));

	it('checks an order against the available balance, not the total (checklist 33)', async () => {
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

	it('checks a sale against the balance of the base currency', async () => {
		balances('USD', '9.99');
		expect((await place({ side: 'sell' }, checked)).error.message).toContain(
			'needs 10.00 USD, but only 9.99 USD is available',
		);
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
		['have another shape', success({ bids: [], asks: [['1500.00', '99.00']] }), 'does not show enough offers'],
		['may not be read', failure(403, {}), 'The prices could not be read (forbidden)'],
	])('skips the balance check of a market buy when the offers %s, and says so', async (_, book, said) => {
		wire.on(BOOK, book);
		balances('NGN', '1.00');
		const { error, notes } = await place({ order_type: 'market', price: null }, checked);
		expect(error).toBeUndefined();
		expect(notes.join()).toContain(said);
	});

	it('checks a market sell against the balance of the currency sold', async () => {
		balances('USD', '9.99');
		const { error } = await place({ side: 'sell', order_type: 'market', price: null }, checked);
		expect(error.message).toContain('needs 10.00 USD, but only 9.99 USD is available');
		expect(wire.calls(BOOK)).toEqual([]);
	});

	it('sends the order when balances cannot be read, and says so', async () => {
		wire.on(BALANCES, failure(503, {}));
		expect(await place({}, checked)).toEqual({
			error: undefined,
			notes: ['The balances could not be read (unavailable), so the order was not checked against them'],
		});
	});

	it('checks the balance when the market of the order is not shown, and says only what is missing', async () => {
		wire.on(MARKETS, failure(503, {}));
		balances('NGN', '14999.99');
		expect(await place({}, checked)).toMatchObject({
			error: { details: { rule: 'available' } },
			notes: [expect.stringContaining('The markets could not be read') as string],
		});
	});

	it("checks the currencies the market names, not those of the pair's name", async () => {
		offer({ base_currency: 'USDT', quote_currency: 'NGNX' });
		balances('NGNX', '14999.99');
		expect((await place({}, checked)).error).toMatchObject({ details: { currency: 'NGNX' } });
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

	it('reads no balance unless the check is on', async () => {
		await place();
		expect(wire.calls(BALANCES)).toEqual([]);
	});
});
