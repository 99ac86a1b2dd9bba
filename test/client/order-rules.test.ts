import type { ExchangeError } from '@partner-exchange/core';
import type { MarketRules } from '../../packages/core/src/client/market-rules';
import { checkRules, type OrderTerms } from '../../packages/core/src/client/order-rules';

const terms: OrderTerms = {
	...{ pair_id: 'USD/NGN', order_type: 'limit', time_in_force: 'GTC' },
	...{ quantity: '10.00', price: '1500.00' },
};

function refusal(rules: MarketRules, changes: Partial<OrderTerms> = {}): ExchangeError | undefined {
	try {
		checkRules({ ...terms, ...changes }, rules, 'Create Order');
		return undefined;
	} catch (error) {
		return error as ExchangeError;
	}
}

describe('the rules of a market', () => {
	it.each<[MarketRules, Partial<OrderTerms>]>([
		[{ minQuantity: '10', maxQuantity: '10', minPrice: '1500', maxPrice: '1500' }, {}],
		[{ minNotional: '15000', maxNotional: '15000' }, {}],
		[{ quantityStep: '0.5', priceStep: '500' }, {}],
		[{ trading: { status: 'open', open: true } }, {}],
		[{ trading: { status: 'auction', open: undefined } }, {}],
		[{ orderTypes: ['LIMIT_ORDER'], timesInForce: ['gtc'] }, {}],
		[{ orderTypes: ['limit', 'LMT'] }, { order_type: 'market' }],
	])('accepts under the rules %j an order with %j', (rules, changes) => {
		expect(refusal(rules, changes)).toBeUndefined();
	});

	it.each<[Partial<OrderTerms>, string]>([
		[{ quantity: '1.000' }, 'Enter 1.00 or 1000'],
		[{ quantity: '125.500' }, 'Enter 125.50 or 125500'],
		[{ price: '1.500' }, 'Enter 1.50 or 1500'],
	])('takes %j neither for thousands nor for less where the market has two decimals', (changes, advice) => {
		const error = refusal({ quantityStep: '0.01', priceStep: '0.01' }, changes);
		expect(error).toMatchObject({ code: 'invalid_input', advice: expect.stringContaining(advice) });
	});

	it.each<[MarketRules, string]>([
		[{ quantityStep: '0.01' }, '1000.000'],
		[{ quantityStep: '0.01' }, '10.00000000'],
		[{ quantityStep: '0.01' }, '0.500'],
		[{ quantityStep: '0.001' }, '1.000'],
		[{}, '1.000'],
	])('under the rules %j no thousands are seen in the quantity %s', (rules, quantity) => {
		expect(refusal(rules, { quantity })).toBeUndefined();
	});

	it.each<[MarketRules, Partial<OrderTerms>, string, object]>([
		[{ trading: { status: 'halted', open: false } }, {}, 'pair_id', { rule: 'trading_status' }],
		[{ orderTypes: ['market'] }, {}, 'order_type', { rule: 'order_type' }],
		[{ orderTypes: ['limit'] }, { order_type: 'orderlimit' }, 'order_type', { rule: 'order_type' }],
		[{ timesInForce: ['POST-ONLY'] }, {}, 'time_in_force', { rule: 'time_in_force' }],
		[{ minQuantity: '10.01' }, {}, 'quantity', { rule: 'min_quantity', min: '10.01' }],
		[{ maxQuantity: '9.99' }, {}, 'quantity', { rule: 'max_quantity', max: '9.99' }],
		[{ quantityStep: '3' }, {}, 'quantity', { rule: 'quantity_step', step: '3', below: '9', above: '12' }],
		[{ minPrice: '1500.01' }, {}, 'price', { rule: 'min_price', min: '1500.01' }],
		[{ maxPrice: '1499.99' }, {}, 'price', { rule: 'max_price', max: '1499.99' }],
		[{ priceStep: '7' }, {}, 'price', { rule: 'price_step', step: '7', below: '1498', above: '1505' }],
		[{ minNotional: '15000.01' }, {}, 'quantity', { rule: 'min_notional' }],
		[{ maxNotional: '14999.99' }, {}, 'quantity', { rule: 'max_notional' }],
	])('refuses under the rules %j an order with %j by its %s', (rules, changes, field, details) => {
		const error = refusal(rules, changes);
		expect(error).toMatchObject({ code: 'invalid_input', operation: 'Create Order', field });
		expect(error?.details).toEqual({ pair_id: 'USD/NGN', ...details });
		expect(error?.message).toContain('nothing was sent');
	});
});
