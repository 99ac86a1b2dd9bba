import { priceIn, orderValue } from '../../../packages/core/src/orders/limits/risk-limits';

describe('the price of the moment', () => {
	it.each([
		[{ best_ask: '1500.00' }, '1500.00'],
		[{ best_ask: '0', last_price: '1499.00' }, '1499.00'],
		[{ best_ask: '0.00', last_price: 0, best_bid: '1498.00' }, '1498.00'],
		[{ best_ask: null, bid: '1497' }, '1497'],
		[{ best_ask: '', last_price: '1496' }, '1496'],
		[{ lowest_ask: 1494.5 }, '1494.5'],
		[{ close: '1493' }, '1493'],
		[{ ask: { price: '1492', quantity: '3' } }, '1492'],
		[{ ticker: { best_ask: '1491' } }, '1491'],
		[{ data: { last: '1490' } }, '1490'],
		[{ best_ask: '1.5E+3' }, '1.5E+3'],
		[{ best_ask: 'n/a', best_bid: '-3', last: '1489' }, '1489'],
	])('of the ticker %j is %p', (ticker, price) => {
		expect(priceIn(ticker)).toBe(price);
	});

	it.each([
		[{ best_ask: '0' }],
		[{ best_ask: '0.00', last_price: 0 }],
		[{ best_ask: '0E-8' }],
		[{ last_price: '-1500' }],
		[{ best_ask: null, best_bid: '' }],
		[{ best_ask: {} }],
		[{ best_ask: '1e400', last_price: '1400' }],
		[{ best_ask: '1,500.00', best_bid: '1400' }],
		[{ ask: { price: '1,500.00' }, last_price: '1400' }],
		[{}],
		[null],
		['1500'],
		[[]],
	])('is not to be had from the ticker %j', (ticker) => {
		expect(priceIn(ticker)).toBeUndefined();
	});
});

describe('what an order is worth', () => {
	it.each([
		[{ order_type: 'limit', quantity: '10', price: '1500' }, '15000'],
		[{ order_type: 'limit', quantity: '10', price: '0' }, '16000'],
		[{ order_type: 'limit', quantity: '10', price: null }, '16000'],
		[{ order_type: 'limit', quantity: '10', price: '-1000' }, '16000'],
		[{ order_type: 'limit', quantity: '10', price: '1500', filled_quantity: '5', avg_fill_price: '9' }, '15000'],
		[{ order_type: 'limit', quantity: '10', price: '1500', filled_quantity: '0', status: 'cancelled' }, '15000'],
		[{ order_type: 'market', quantity: '10' }, '16000'],
		[
			{ order_type: 'market', quantity: '10', filled_quantity: '0E-8', avg_fill_price: '0', status: 'accepted' },
			'16000',
		],
		[
			{ order_type: 'market', quantity: '10', filled_quantity: '4', avg_fill_price: '1500', status: 'accepted' },
			'15600',
		],
		[{ order_type: 'market', quantity: '10', filled_quantity: '10', avg_fill_price: '0', status: 'filled' }, '16000'],
		[{ order_type: 'market', quantity: '10', filled_quantity: '10', avg_fill_price: '', status: 'filled' }, '16000'],
		[{ order_type: 'market', quantity: '10', filled_quantity: '10', avg_fill_price: '11', status: 'filled' }, '110'],
		[{ order_type: 'market', quantity: '10', filled_quantity: '0', status: 'cancelled' }, '0'],
	])('is, of %j at a price of 1600, %s', (order, value) => {
		expect(orderValue(order, '1600')).toBe(value);
	});
});
