import type { Item } from '@partner-exchange/core';
import { checkFunds, needOf, type FundedTerms } from '../../packages/core/src/client/funds';

const terms: FundedTerms = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00', price: '1500.00' };
const resting: Item = { side: 'buy', quantity: '8.00', price: '1400.00', filled_quantity: '3.00' };

/** The required funds, or the reason why they are unknown, and the requests made to find out. */
async function need(changes: Partial<FundedTerms> = {}, answer?: unknown, market: Item = {}) {
	const reads: unknown[] = [];
	const funds = await needOf({ ...terms, ...changes }, market, (id, input) => {
		reads.push([id, input]);
		return Promise.resolve(answer);
	});
	return { funds, reads };
}

describe('the funds an order needs', () => {
	it('needs for an order its value in the quote currency, or what it sells', async () => {
		expect(await need()).toEqual({ funds: { currency: 'NGN', amount: '15000', basis: 'The order needs' }, reads: [] });
		expect(await need({ side: 'sell', price: undefined })).toEqual({
			funds: { currency: 'USD', amount: '10.00', basis: 'The order needs' },
			reads: [],
		});
	});

	it('knows no need when the pair does not show its currencies', async () => {
		expect((await need({ pair_id: 'USDNGN' })).funds).toBe('the currencies of the pair are not shown');
	});

	it.each([
		[[{ price: '1500', quantity: '10.00' }], '15000'],
		[
			[
				{ price: '1600', quantity: '99' },
				{ price: '1500', quantity: '4' },
			],
			'15600',
		],
		[[null, { price: '0', quantity: '99' }, { price: '1', quantity: '-5' }, { price: 2, quantity: 99 }], '20'],
	])('needs for a market order the offers %j', async (asks, amount) => {
		const { funds, reads } = await need({ price: undefined }, { asks });
		expect(funds).toEqual({ currency: 'NGN', amount, basis: 'At the prices of this moment the order needs' });
		expect(reads).toEqual([['market.orderBook', { pair_id: 'USD/NGN' }]]);
	});

	it.each([undefined, null, [], {}, { asks: null }, { asks: [{ price: '1', quantity: '9.99' }] }])(
		'says no funds for a market order from the offers in %j',
		async (book) => {
			expect((await need({ price: undefined }, book)).funds).toContain('does not show enough offers');
		},
	);
});

describe('the funds a replacement needs', () => {
	const anew = { order_id: 'o1', side: undefined };
	const basis = 'Beyond what the order holds already, its replacement needs';

	it.each([
		[resting, 'NGN', '3500'],
		[{ ...resting, filled_quantity: undefined }, 'NGN', '3800'],
		[{ ...resting, side: 'sell' }, 'USD', '2'],
	])('needs for a replacement only what exceeds the held amount: %j', async (order, currency, amount) => {
		const { funds, reads } = await need(anew, order);
		expect({ need: funds, reads }).toEqual({
			need: { currency, amount, basis },
			reads: [['order.get', { order_id: 'o1' }]],
		});
	});

	it.each([
		[undefined, {}],
		[{}, {}],
		[{ ...resting, quantity: undefined }, {}],
		[{ ...resting, price: null }, {}],
		[{ ...resting, filled_quantity: 'some' }, {}],
		[{ ...resting, side: 'both' }, {}],
		[{ ...resting, side: undefined }, {}],
		[resting, { price: undefined }],
	])('knows no need for an order that shows %j, replaced with %j', async (order, changes) => {
		const { funds } = await need({ ...anew, ...changes }, order);
		expect(funds).toBe('the order to be replaced does not show what it holds');
	});
});

describe('the funds there are', () => {
	const input = { currency: 'NGN', amount: '100', basis: 'The order needs' };
	const balances = (available: unknown) => [
		{ currency: 'USD', available: '1' },
		{ code: 'NGN', available, total: '900' },
	];

	it('compares the funds to the last digit, and refuses an order with both amounts', () => {
		expect(checkFunds(input, balances('100.00'), terms, 'Create Order')).toBeUndefined();
		expect(() => checkFunds(input, balances('99.99'), terms, 'Create Order')).toThrow(
			expect.objectContaining({
				field: 'quantity',
				details: { rule: 'available', pair_id: 'USD/NGN', currency: 'NGN', needed: '100', available: '99.99' },
			}),
		);
	});

	it.each([[balances(100)], [balances(undefined)], [[{ currency: 'USD', available: '1' }]], [null]])(
		'compares no funds if %j does not show them',
		(row) => {
			expect(checkFunds(input, row, terms, 'Create Order')).toBe('the balances show no available NGN');
		},
	);
});
