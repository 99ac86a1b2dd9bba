import { ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { findOrders, isNamed, isSameOrder, lookupResultOf } from '../../../packages/core/src/orders/lookup/lookup';
import type { OrderList } from '../../../packages/core/src/orders/lookup/list';
import type { Seen } from '../../../packages/core/src/orders/lookup/readings';

const asked = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };

describe('an order in a list', () => {
	it.each([
		['asks for the same', {}, true],
		['writes words and amounts otherwise', { side: 'BUY', quantity: '10', price: '1500.000' }, true],
		['shows nothing of it', { pair_id: null, side: null, order_type: null, quantity: null, price: null }, true],
		['shows amounts nobody can read', { quantity: 10, price: 'cheap' }, true],
		['is of another pair', { pair_id: 'EUR/NGN' }, false],
		['is of another side', { side: 'sell' }, false],
		['is of another type', { order_type: 'market' }, false],
		['has another quantity', { quantity: '10.01' }, false],
		['has another price', { price: '1500.01' }, false],
	])('compares a listed order that %s: %j matches %s', (_, shown, expected) => {
		expect(isSameOrder({ ...asked, ...shown }, asked)).toBe(expected);
	});

	it('matches an order of any price where no price was sent', () => {
		const { price, ...market } = asked;
		expect(isSameOrder({ ...market, price }, market)).toBe(true);
		expect(isSameOrder(asked, {})).toBe(true);
	});

	it('matches an order by the text of its name, and never because a name is missing', () => {
		expect(isNamed('7')({ client_order_id: 7 })).toBe(true);
		expect(isNamed('mine')({ client_order_id: 'theirs' })).toBe(false);
		expect(isNamed('mine')({})).toBe(false);
	});
});

describe('looking through the list', () => {
	const order = { id: 'order-1', client_order_id: 'mine' };
	const nothing: Seen = { orders: [], facts: { rows: 3, showsFinal: true, isUnfiltered: false } };
	const matches = isNamed('mine');
	type Look = Parameters<OrderList['look']>[0];

	/** A list that applies its filter, and the queries it received. */
	function listOf(answer: (filter: Look['filter']) => Seen | Error) {
		const looks: Pick<Look, 'isThorough' | 'filter'>[] = [];
		const list: OrderList = {
			look: ({ isThorough, filter }) => {
				looks.push({ isThorough, filter });
				const seen = answer(filter);
				return seen instanceof Error ? Promise.reject(seen) : Promise.resolve(seen);
			},
		};
		return { list, looks };
	}
	const refusedBy = (code: ErrorCode) => new ExchangeError(code, { what: 'no such filter' });

	it('asks for the pair alone where it looks for a recent order', async () => {
		const { list, looks } = listOf(() => ({ orders: [order] }));
		expect(await findOrders({ matches, pair: 'USD/NGN' }, { list })).toEqual({ orders: [order], complete: false });
		await findOrders({ matches }, { list });
		expect(looks).toEqual([
			{ isThorough: false, filter: { pair_id: 'USD/NGN' } },
			{ isThorough: false, filter: {} },
		]);
	});

	it.each(['refused', 'not_found'] as const)('lists without the pair filter where the filter is %s', async (code) => {
		const { list, looks } = listOf(({ pair_id }) => (pair_id === undefined ? nothing : refusedBy(code)));
		expect(await findOrders({ matches, pair: 'USD/NGN' }, { list })).toEqual({ orders: [], complete: true });
		expect(looks).toHaveLength(2);
	});

	it.each([false, true])('fails a lookup whose list cannot be read; thorough: %s', async (isThorough) => {
		const { list, looks } = listOf(() => refusedBy('unavailable'));
		await expect(findOrders({ matches, pair: 'USD/NGN', isThorough }, { list })).rejects.toMatchObject({
			code: 'unavailable',
		});
		expect(looks).toHaveLength(1);
	});

	it.each([
		['shows an ended order', nothing, { complete: true }],
		[
			'could not be seen whole',
			{ ...nothing, facts: { ...nothing.facts!, gap: 'too long' } },
			{ complete: false, gap: 'too long' },
		],
	])('ends a thorough lookup where the list %s', async (_, seen, expected) => {
		const { list, looks } = listOf(() => seen);
		expect(await findOrders({ matches, isThorough: true }, { list })).toEqual({ orders: [], ...expected });
		expect(looks).toEqual([{ isThorough: true, filter: {} }]);
	});

	const open: Seen = { orders: [], facts: { rows: 3, showsFinal: false, isUnfiltered: false } };
	const statuses = ['pending', 'accepted', 'partially_filled', 'filled', 'cancelled', 'rejected', 'expired'];

	it('asks for each status by name where the list shows open orders alone', async () => {
		const { list, looks } = listOf(() => open);
		expect(await findOrders({ matches, isThorough: true }, { list })).toEqual({ orders: [], complete: true });
		expect(looks.map(({ filter }) => filter.status)).toEqual([undefined, ...statuses]);
	});

	it('ends a lookup by status with the first status that shows the order', async () => {
		const { list, looks } = listOf(({ status }) => (status === 'filled' ? { orders: [order] } : open));
		expect(await findOrders({ matches, isThorough: true }, { list })).toEqual({ orders: [order], complete: false });
		expect(looks).toHaveLength(5);
	});

	it.each([
		['does not filter by status', { ...open, facts: { ...open.facts!, isUnfiltered: true } }],
		['refuses to filter by status', refusedBy('refused')],
	])('proves no absence where a list of open orders %s', async (_, byStatus) => {
		const { list } = listOf(({ status }) => (status === undefined ? open : byStatus));
		expect(await findOrders({ matches, isThorough: true }, { list })).toEqual({
			...{ orders: [], complete: false },
			gap: 'the list shows open orders and does not filter by status',
		});
	});

	it('proves an absence where an empty list refuses the status filter', async () => {
		const empty: Seen = { orders: [], facts: { rows: 0, showsFinal: false, isUnfiltered: false } };
		const { list } = listOf(({ status }) => (status === undefined ? empty : refusedBy('not_found')));
		expect(await findOrders({ matches, isThorough: true }, { list })).toMatchObject({ complete: true });
	});

	it.each(['of the whole list', 'of one status'])('names the gap %s in a lookup', async (where) => {
		const gap = { ...open, facts: { ...open.facts!, gap: 'a page is missing' } };
		const { list } = listOf(({ status }) =>
			(where === 'of one status' ? status === 'filled' : status === undefined) ? gap : open,
		);
		expect(await findOrders({ matches, isThorough: true }, { list })).toEqual({
			...{ orders: [], complete: false, gap: 'a page is missing' },
		});
	});

	it('fails a lookup where a status cannot be read', async () => {
		const { list } = listOf(({ status }) => (status === 'filled' ? refusedBy('timeout') : open));
		await expect(findOrders({ matches, isThorough: true }, { list })).rejects.toMatchObject({ code: 'timeout' });
	});
});

describe('a reading that fails', () => {
	it.each([
		['unauthorized', true],
		['forbidden', true],
		['invalid_account', true],
		['invalid_input', true],
		['unavailable', false],
		['timeout', false],
		['rate_limited', false],
		['not_found', false],
	] as const)('never takes a lookup that failed with %s for an absence; permanently: %s', async (code, lasting) => {
		const error = new ExchangeError(code, { what: 'It cannot be read' });
		expect(await lookupResultOf(() => Promise.reject(error))).toEqual({ is: 'failed', error, lasting });
	});

	it('takes an unexpected error for a failed lookup', async () => {
		await expect(lookupResultOf(() => Promise.reject(new TypeError('a fault')))).rejects.toThrow('a fault');
	});
});
