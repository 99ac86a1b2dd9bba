import { currenciesOf, readMarketsOnce, rulesOf } from '../../packages/core/src/client/market-rules';
import type { CallContext, Warning } from '@partner-exchange/core';
import { success, useWire } from '../support/wire';

describe('the rules of a market, as its record shows them', () => {
	it('reads no rules from a record without them', () => {
		expect(rulesOf({})).toEqual({});
		expect(rulesOf({ id: 'USD/NGN', limits: null, rules: [], quantity_step: null })).toEqual({});
	});

	it('reads the rules once from a record, and anew from the next', () => {
		const { rulesOf: read } = readMarketsOnce();
		const market = { quantity_step: '5' };
		const rules = read(market);
		expect(read(market)).toBe(rules);
		expect(read({ ...market, quantity_step: '7' })).toEqual({ quantityStep: '7' });
	});

	it('reads the rules of the first listed market with the name, whichever of its names it is', () => {
		const { marketsIn } = readMarketsOnce();
		const [first, second] = [
			{ id: 'market-1', symbol: 'USD/NGN' },
			{ pair_id: 'USD/NGN', code: 'USDNGN' },
		];
		const list = { markets: [first, second] };
		const markets = marketsIn(list);
		expect(['market-1', 'USD/NGN', 'USDNGN', 'EUR/NGN'].map((name) => markets.get(name))).toEqual([
			first,
			first,
			second,
			undefined,
		]);
		expect(marketsIn(list)).toBe(markets);
		expect(marketsIn([second]).get('USD/NGN')).toBe(second);
	});

	it.each([
		[{ quantity_step: '5', lot_size: '7' }, '5'],
		[{ lot_size: '7' }, '7'],
		[{ rules: { step_size: 0.5 } }, '0.5'],
		[{ limits: { amount: { precision: 3 } } }, '0.001'],
		[{ decimals_quantity: '18' }, '0.000000000000000001'],
		[{ quantity_step: '0.5', quantity_precision: 2 }, '0.5'],
		[{ quantity_precision: 2, rules: { quantity_step: '0.5' } }, '0.01'],
		[{ quantity_precision: '0.25' }, '0.25'],
		[{ quantity_step: '1E-8' }, '1E-8'],
		[{ quantity_precision: 'a2' }, undefined],
		[{ quantity_precision: 19 }, undefined],
		[{ quantity_precision: 0 }, undefined],
		[{ quantity_step: '0' }, undefined],
		[{ quantity_step: '-1' }, undefined],
		[{ quantity_step: ['1'] }, undefined],
	])('reads the step of a quantity from %j', (market, step) => {
		expect(rulesOf(market).quantityStep).toBe(step);
	});

	it('reads the step of a price apart from that of a quantity', () => {
		expect(rulesOf({ tick_size: '0.05', lot: '2' })).toEqual({ priceStep: '0.05', quantityStep: '2' });
		expect(rulesOf({ price_scale: 4 })).toEqual({ priceStep: '0.0001' });
	});

	it.each([
		[
			{ min_price: '1', maxPrice: 9 },
			{ minPrice: '1', maxPrice: '9' },
		],
		[{ limits: { price: { min: '1', maximum: '9' } } }, { minPrice: '1', maxPrice: '9' }],
		[{ order_limits: { quantity_min: '1', quantity_max: '9' } }, { minQuantity: '1', maxQuantity: '9' }],
		[
			{ min_order_size: '1', size_maximum: '9' },
			{ minQuantity: '1', maxQuantity: '9' },
		],
		[{ rules: { cost: { min: '1', max: '9' } } }, { minNotional: '1', maxNotional: '9' }],
		[{ min_quantity: '1', limits: { quantity: { min: '2' } } }, { minQuantity: '1' }],
		[{ min_quantity: '0', max_quantity: 0, max_price: 'none' }, {}],
	])('reads the bounds from %j', (market, rules) => {
		expect(rulesOf(market)).toEqual(rules);
	});

	it.each([
		[{ order_types: ['limit', 7, null, 'market'] }, { orderTypes: ['limit', 'market'] }],
		[{ supported_order_types: ['limit'] }, { orderTypes: ['limit'] }],
		[{ rules: { allowed_order_type: ['limit'] } }, { orderTypes: ['limit'] }],
		[{ trading_rules: { time_in_force: ['GTC'] } }, { timesInForce: ['GTC'] }],
		[{ accepted_times_in_force: ['GTC'] }, { timesInForce: ['GTC'] }],
		[{ order_types: 'limit', rules: { order_types: ['market'] } }, { orderTypes: ['market'] }],
		[{ order_types: [], time_in_force: [1] }, {}],
		[{ refused_order_types: ['limit'], order_types_refused: ['limit'], time_in_forced: ['GTC'] }, {}],
	])('reads the words from %j', (market, rules) => {
		expect(rulesOf(market)).toEqual(rules);
	});

	it.each([
		[{ status: 'TRADING' }, { status: 'TRADING', open: true }],
		[
			{ trading_status: 'halted', status: 'active' },
			{ status: 'halted', open: false },
		],
		[{ market_status: 'cancel_only' }, { status: 'cancel_only', open: false }],
		[{ state: 'Auction' }, { status: 'Auction', open: undefined }],
		[
			{ tradable: false, status: 'active' },
			{ status: 'not trading', open: false },
		],
		[{ is_trading: true }, undefined],
		[{ enabled: 'false' }, undefined],
		[{ status: '' }, undefined],
		[{ status: 3 }, undefined],
	])('reads from %j whether the market is open', (market, trading) => {
		expect(rulesOf(market).trading).toEqual(trading);
	});

	it.each(['trading_enabled', 'is_trading', 'tradable', 'is_active', 'active', 'enabled'])(
		'reads a market as closed if %s is false',
		(name) => {
			expect(rulesOf({ [name]: false }).trading).toEqual({ status: 'not trading', open: false });
		},
	);
});

describe('the two currencies of a pair', () => {
	it.each([
		[{ base_currency: 'USD', quote_currency: 'NGN' }, 'X'],
		[{ base: 'USD', quote: 'NGN' }, 'A/B'],
		[{ base_asset: 'USD', quoteCurrency: 'NGN' }, 'A/B'],
		[{}, 'USD/NGN'],
		[{}, 'USD_NGN'],
		[{}, 'USD-NGN'],
		[{ base: 'EUR' }, 'USD/NGN'],
		[{ quote: 'EUR' }, 'USD/NGN'],
	])('reads the currencies of a pair from %j and %s', (market, pair) => {
		expect(currenciesOf(market, pair)).toEqual({ base: 'USD', quote: 'NGN' });
	});

	it.each(['USDNGN', 'USD/', '/NGN', 'USD/NGN/PERP'])('guesses no currencies from %s', (pair) => {
		expect(currenciesOf({}, pair)).toBeUndefined();
	});
});

const ORDERS = 'POST /partner/exchange/orders';

const MARKETS = 'GET /partner/exchange/markets';

const created = success({ order_id: 'a1', status: 'pending', created_at: '2026-01-31T00:00:00Z' });

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' } as const;

const { wire, client } = useWire();

beforeEach(() => {
	wire.on(ORDERS, created);
});

const offer = (market: object) => wire.on(MARKETS, success({ markets: [{ pair_id: 'USD/NGN', ...market }] }));

async function place(changes: object = {}, context: CallContext = {}) {
	const warnings: Warning[] = [];
	const result = client.order.create(
		{ ...order, ...changes },
		{ warn: (warning) => warnings.push(warning), ...context },
	);
	return result.then(
		(answer) => ({ answer, warnings, error: undefined }),
		(error) => ({ answer: undefined, warnings, error }),
	);
}

describe('market rules', () => {
	it.each([
		['a decimals count', { quantity_precision: 2, price_precision: 2 }],
		['a decimals count as text', { amount_decimals: '2', price_decimals: '2' }],
		['a step and a tick', { quantity_step: '0.01', tick_size: '0.01' }],
		['a nested precision', { precision: { quantity: '0.01', price: '0.01' } }],
		['nested rules in camel case', { rules: { quantityIncrement: '0.01', priceIncrement: '0.01' } }],
	])('reads %s, refuses an amount off the step and names both neighbours (checklist 37)', async (_, market) => {
		offer(market);
		const { error } = await place({ quantity: '10.005' });
		expect(error).toMatchObject({
			code: 'invalid_input',
			field: 'quantity',
			details: { rule: 'quantity_step', below: '10', above: '10.01' },
		});
		expect(error.message).toContain('The nearest valid values are 10 and 10.01');
		expect((await place({ price: '1500.001' })).error.details).toMatchObject({
			rule: 'price_step',
			below: '1500',
			above: '1500.01',
		});
		expect(wire.calls(ORDERS)).toHaveLength(0);
	});

	it.each([
		['a scale that is no count of decimals', { price_scale: 100, quantity_scale: 100 }, {}],
		['a precision of nothing', { price_precision: 0, quantity_precision: '0' }, {}],
		['order types in other spelling', { order_types: ['LIMIT_ORDER', 'market-order'] }, {}],
		['times in force in other spelling', { time_in_force: ['gtc', 'POST-ONLY'] }, { time_in_force: 'POST_ONLY' }],
		['order types in another vocabulary', { order_types: ['LMT', 'MKT'] }, {}],
	])('refuses no good order for %s', async (_, market, changes) => {
		offer(market);
		expect((await place({ quantity: '10.50', price: '1500.25', ...changes })).answer).toMatchObject({ order_id: 'a1' });
	});

	it('sends the amount as it was written when it keeps the step, without rounding (checklist 166)', async () => {
		offer({ quantity_step: '0.01', tick_size: '0.05' });
		const { answer } = await place({ quantity: '10.00', price: '1500.05' });
		expect(answer).toMatchObject({ order_id: 'a1' });
		expect(JSON.parse(wire.calls(ORDERS)[0]!.body)).toMatchObject({ quantity: '10.00', price: '1500.05' });
	});
});
