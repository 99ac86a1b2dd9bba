import { ExchangeError, type ErrorCode, type Item } from '@partner-exchange/core';
import { isNamed } from '../../../packages/core/src/orders/identity';
import { findOrders, isSameOrder, lookupResultOf } from '../../../packages/core/src/orders/lookup/lookup';
import { type OrderList, createOrderList } from '../../../packages/core/src/orders/lookup/list';
import { type Seen, createReadings } from '../../../packages/core/src/orders/lookup/readings';
import type { Read } from '../../../packages/core/src/context';
import { quickClock } from '../../support/wire';

const input = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };

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
	])('compares a listed order that %s: %j matches %s', (_, row, expected) => {
		expect(isSameOrder({ ...input, ...row }, input)).toBe(expected);
	});

	it('matches an order of any price where no price was sent', () => {
		const { price, ...market } = input;
		expect(isSameOrder({ ...market, price }, market)).toBe(true);
		expect(isSameOrder(input, {})).toBe(true);
	});

	it('matches an order by the text of its name, and never because a name is missing', () => {
		expect(isNamed('7')({ client_order_id: 7 })).toBe(true);
		expect(isNamed('mine')({ client_order_id: 'theirs' })).toBe(false);
		expect(isNamed('mine')({})).toBe(false);
	});
});

describe('looking through the list', () => {
	const order = { id: 'order-1', client_order_id: 'mine' };
	const nothing: Seen = { orders: [], facts: {} };
	const matches = isNamed('mine');
	type Look = Parameters<OrderList['look']>[0];

	/** A list, and what was looked for in it. */
	function listOf(answer: (look: Look) => Seen | Error) {
		const looks: Partial<Look>[] = [];
		const list: OrderList = {
			look: ({ matches: _, ...look }) => {
				looks.push(look);
				const seen = answer({ matches, ...look });
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
			{ isThorough: false, pair: 'USD/NGN' },
			{ isThorough: false, pair: undefined },
		]);
	});

	it.each(['refused', 'not_found'] as const)('lists without the pair filter where the filter is %s', async (code) => {
		const { list, looks } = listOf(({ pair }) => (pair === undefined ? nothing : refusedBy(code)));
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
		['saw everything', nothing, { complete: true }],
		['could not see everything', { orders: [], facts: { gap: 'too long' } }, { complete: false, gap: 'too long' }],
	])('reads the result of a thorough lookup that %s', async (_, seen, expected) => {
		const { list, looks } = listOf(() => seen);
		const query = { matches, name: 'mine', pair: 'USD/NGN', isThorough: true };
		expect(await findOrders(query, { list })).toEqual({ orders: [], ...expected });
		expect(looks).toEqual([{ isThorough: true, name: 'mine' }]);
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
	] as const)('never treats a lookup that failed with %s as an absence; permanently: %s', async (code, lasting) => {
		const error = new ExchangeError(code, { what: 'It cannot be read' });
		expect(await lookupResultOf(() => Promise.reject(error))).toEqual({ is: 'failed', error, lasting });
	});

	it('treats an unexpected error as a failed lookup', async () => {
		await expect(lookupResultOf(() => Promise.reject(new TypeError('a fault')))).rejects.toThrow('a fault');
	});
});

const statuses = ['pending', 'accepted', 'partially_filled', 'filled', 'cancelled', 'rejected', 'expired'];

const open: Item = { id: 'o1', client_order_id: 'theirs', status: 'accepted' };

const mine: Item = { id: 'o2', client_order_id: 'mine', status: 'filled' };

const refusedBy = (code: ErrorCode) => new ExchangeError(code, { what: 'simulated' });

const listAt = (read: Read): OrderList =>
	createOrderList({
		read,
		ports: { clock: quickClock() },
		name: 'a',
		readings: createReadings(),
		service: { at: () => undefined },
	});

const lookIn = (read: Read): Promise<Seen> =>
	listAt(read).look({ name: 'mine', matches: isNamed('mine'), isThorough: true });

/** Looks for an order in a list that answers so to each status. */
async function looked(answer: (status: string | undefined) => Item[] | Error) {
	const requests: unknown[] = [];
	const read = (_: string, { status, offset }: Item): Promise<Item> => {
		const row = answer(status as string | undefined);
		if (offset === 0) requests.push(status);
		if (row instanceof Error) return Promise.reject(row);
		return Promise.resolve({ count: row.length, orders: offset === 0 ? row : [] });
	};
	const seen = await lookIn(read);
	return { seen, requests };
}

describe('a thorough lookup by status', () => {
	it('asks for no status where the list shows an order that is over', async () => {
		const { seen, requests } = await looked(() => [{ ...open, status: 'filled' }]);
		expect([seen, requests]).toEqual([{ orders: [], facts: {} }, [undefined]]);
	});

	it('asks for each status by name where the list shows open orders alone', async () => {
		const { seen, requests } = await looked((status) => (status === undefined || status === 'accepted' ? [open] : []));
		expect([seen, requests]).toEqual([{ orders: [], facts: {} }, [undefined, ...statuses]]);
	});

	it('ends with the first status that shows the order', async () => {
		const { seen, requests } = await looked((status) =>
			status === 'filled' ? [mine] : status === undefined || status === 'accepted' ? [open] : [],
		);
		expect(seen).toEqual({ orders: [mine] });
		expect(requests).toEqual([undefined, ...statuses.slice(0, 4)]);
	});

	it.each<[string, () => Item[] | Error]>([
		['shows others', () => [open]],
		['refuses the filter', () => refusedBy('refused')],
		['knows no filter', () => refusedBy('not_found')],
	])('proves no absence where a list of open orders %s', async (_, filtered) => {
		const { seen } = await looked((status) => (status === undefined ? [open] : filtered()));
		expect(seen).toEqual({
			orders: [],
			facts: { gap: 'the list shows open orders and does not filter by status' },
		});
	});

	it('proves an absence where an empty list refuses the filter', async () => {
		const { seen } = await looked((status) => (status === undefined ? [] : refusedBy('not_found')));
		expect(seen).toEqual({ orders: [], facts: { mayHideEnded: true } });
	});

	it('proves no absence where a list that refuses the filter is empty and was not before', async () => {
		const rows = [[open], []];
		let reads = 0;
		const list = listAt((_, { status, offset }: Item) => {
			if (status !== undefined) return Promise.reject(refusedBy('refused'));
			const orders = offset === 0 ? rows[Math.min(1, reads++)]! : [];
			return Promise.resolve({ orders });
		});
		const since = Date.UTC(2026, 0, 5);
		await list.look({ since, matches: () => true, wantsAll: true, isThorough: true });
		const seen = await list.look({ name: 'mine', matches: isNamed('mine'), isThorough: true });
		expect(seen.facts).toEqual({ gap: 'the list shows open orders and does not filter by status' });
	});

	it('proves no absence where the list of one status counts more than it shows', async () => {
		const read = (_: string, { status, offset }: Item): Promise<Item> =>
			Promise.resolve({
				count: { filled: 3, accepted: 1 }[String(status)] ?? (status === undefined ? 1 : 0),
				orders: offset === 0 && (status === undefined || status === 'accepted') ? [open] : [],
			});
		const seen = await lookIn(read);
		expect(seen.facts).toEqual({ gap: 'the list counts 3 orders and shows 0' });
	});

	it('fails where the list of one status cannot be read', async () => {
		const answer = (status?: string) => (status === 'filled' ? refusedBy('timeout') : status ? [] : [open]);
		await expect(looked(answer)).rejects.toMatchObject({ code: 'timeout' });
	});
});
