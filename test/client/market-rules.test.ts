import { currenciesOf, readMarketsOnce, rulesOf } from '../../packages/core/src/client/market-rules';

describe('the rules of a market, as its record shows them', () => {
	it('reads no rules from a record without them', () => {
		expect(rulesOf({})).toEqual({});
		expect(rulesOf({ id: 'USD/NGN', limits: null, rules: [], quantity_step: null })).toEqual({});
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
		[{ quantity_precision: 2, rules: { quantity_step: '0.5' } }, '0.5'],
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
