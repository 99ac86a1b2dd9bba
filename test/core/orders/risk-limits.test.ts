import type { ExchangeError, Item } from '@partner-exchange/core';
import { operationOf, type Options } from '@partner-exchange/core/catalogue';
import { enforceRiskLimits } from '../../../packages/core/src/orders/limits/risk-limits';

const create = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00', price: '1500.00' };
const replace = { pair_id: 'USD/NGN', order_id: 'order-1', quantity: '10.00', price: '1500.00' };

/** The field at fault with its message, or nothing if the order may be sent, and how often the order was read. */
async function verdict(input: Record<string, string>, options: Options, order?: Item) {
	let reads = 0;
	const readOrder = () => Promise.resolve(((reads += 1), order));
	const operation = operationOf(input.order_id === undefined ? 'order.create' : 'order.replace');
	const refused = await enforceRiskLimits(operation, input, options, readOrder).then(
		() => undefined,
		(error: ExchangeError) => error,
	);
	return { refused, reads };
}
const refusal = async (...args: Parameters<typeof verdict>) => (await verdict(...args)).refused;

describe('what a node may not order', () => {
	it.each<[string, Options]>([
		['nothing is limited', {}],
		['the quantity is the most there is', { max_quantity: '10' }],
		['the value is the most there is', { max_notional: '15000' }],
		['the pair is among the allowed ones', { allowed_pairs: 'EUR/NGN , USD/NGN,' }],
		['the pair is allowed in other letters', { allowed_pairs: 'usd/ngn' }],
		['the side is the allowed one', { allowed_sides: 'buy' }],
		['both sides are allowed', { allowed_sides: 'both' }],
		['a limit is empty', { max_quantity: '', max_notional: null as never }],
	])('allows an order where %s', async (_, options) => {
		expect(await verdict(create, options)).toEqual({ refused: undefined, reads: 0 });
	});

	it.each<[Options, string, string]>([
		[{ max_quantity: '9.99' }, 'quantity', 'Quantity 10.00 is above the maximum of 9.99'],
		[{ max_notional: '14999.99' }, 'quantity', 'Its value of 15000 is above the maximum of 14999.99'],
		[{ max_quantity: '1,000' }, 'max_quantity', 'The limit must be digits'],
		[{ max_notional: 'much' }, 'max_notional', 'The limit is not a decimal number'],
		[{ allowed_pairs: 'EUR/NGN, GBP/NGN' }, 'pair_id', 'Pair USD/NGN is not allowed here, only EUR/NGN, GBP/NGN'],
		[{ allowed_pairs: ' , ' }, 'allowed_pairs', 'The list of allowed pairs names no pair'],
		[{ allowed_pairs: '' }, 'allowed_pairs', 'The list of allowed pairs names no pair'],
		[{ allowed_sides: 'sell' }, 'side', 'Side buy is not allowed here, only sell'],
	])('refuses an order over a limit and names the field: %j', async (options, field, what) => {
		const error = await refusal(create, options);
		expect(error).toMatchObject({ code: 'invalid_input', field, operation: 'Create Order' });
		expect(error?.message).toContain(what);
		expect(error?.message).toContain('Change the order or this limit');
	});

	it('refuses an order without a price under a value limit', async () => {
		const { price, ...market } = create;
		expect(price).toBe('1500.00');
		const error = await refusal(market, { max_notional: '99999' });
		expect(error).toMatchObject({ field: 'price' });
		expect(error?.message).toContain('it cannot be held to the maximum value of 99999');
		expect(await refusal(market, { max_quantity: '10' })).toBeUndefined();
	});
});

describe('what a node may not replace', () => {
	const order = { pair_id: 'USD/NGN', side: 'buy' };

	it('refuses to replace an order of another pair or side, whatever the node names', async () => {
		expect(await verdict(replace, { allowed_pairs: 'USD/NGN' }, order)).toEqual({ refused: undefined, reads: 1 });
		expect(await verdict(replace, { allowed_sides: 'buy' }, order)).toEqual({ refused: undefined, reads: 1 });
		const other = { pair_id: 'EUR/NGN', side: 'sell' };
		expect((await refusal(replace, { allowed_pairs: 'USD/NGN' }, other))?.message).toContain(
			'Pair EUR/NGN is not allowed',
		);
		expect((await refusal(replace, { allowed_sides: 'buy' }, other))?.message).toContain('Side sell is not allowed');
	});

	it('refuses to replace an order that does not show what is limited', async () => {
		for (const unread of [undefined, {}]) {
			expect((await refusal(replace, { allowed_pairs: 'USD/NGN, EUR/NGN' }, unread))?.message).toContain(
				'The pair of the order cannot be read, and only USD/NGN, EUR/NGN is allowed',
			);
			expect((await refusal(replace, { allowed_sides: 'sell' }, unread))?.message).toContain(
				'Its side cannot be read, and only sell is allowed',
			);
		}
	});

	it('reads no original where neither pair nor side is limited', async () => {
		expect(await verdict(replace, { max_quantity: '10', allowed_sides: 'both' })).toEqual({
			refused: undefined,
			reads: 0,
		});
		expect(await verdict(replace, { max_quantity: '9' })).toMatchObject({ refused: { field: 'quantity' }, reads: 0 });
		expect(await verdict(replace, { allowed_pairs: 'EUR/NGN' })).toMatchObject({
			refused: { field: 'pair_id' },
			reads: 0,
		});
	});
});
