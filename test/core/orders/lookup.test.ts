import { ExchangeError, type ErrorCode, type Item } from '@partner-exchange/core';
import { isNamed } from '../../../packages/core/src/orders/identity';
import { createOrderList, createOrderLogs, type OrderList } from '../../../packages/core/src/orders/log/order-list';
import type { Answer } from '../../../packages/core/src/orders/log/sharing';
import { isSameOrder, lookupResultOf } from '../../../packages/core/src/orders/lookup';
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
		clock: quickClock(),
		name: 'a',
		logs: createOrderLogs(),
		service: { at: () => undefined },
	});

const lookIn = (read: Read): Promise<Answer> =>
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
		expect([seen, requests]).toEqual([{ orders: [], complete: true }, [undefined]]);
	});

	it('asks for each status by name where the list shows open orders alone', async () => {
		const { seen, requests } = await looked((status) => (status === undefined || status === 'accepted' ? [open] : []));
		expect([seen, requests]).toEqual([{ orders: [], complete: true }, [undefined, ...statuses]]);
	});

	it('ends with the first status that shows the order', async () => {
		const { seen, requests } = await looked((status) =>
			status === 'filled' ? [mine] : status === undefined || status === 'accepted' ? [open] : [],
		);
		expect(seen).toEqual({ orders: [mine], complete: false });
		expect(requests).toEqual([undefined, ...statuses.slice(0, 4)]);
	});

	it.each<[string, () => Item[] | Error]>([
		['shows others', () => [open]],
		['refuses the filter', () => refusedBy('refused')],
		['knows no filter', () => refusedBy('not_found')],
	])('proves no absence where a list of open orders %s', async (_, filtered) => {
		const { seen } = await looked((status) => (status === undefined ? [open] : filtered()));
		expect(seen).toEqual({
			...{ orders: [], complete: false },
			gap: 'the list shows no order that is over and does not filter by status, so it may hide them',
		});
	});

	it('proves no absence where an empty list refuses the filter', async () => {
		const { seen } = await looked((status) => (status === undefined ? [] : refusedBy('not_found')));
		expect(seen).toMatchObject({ orders: [], complete: false });
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
		await list.look({ since, matches: () => false, isThorough: true });
		const seen = await list.look({ name: 'mine', matches: isNamed('mine'), isThorough: true });
		expect(seen).toMatchObject({
			complete: false,
			gap: 'the list shows no order that is over and does not filter by status, so it may hide them',
		});
	});

	it('proves no absence where the list of one status counts more than it shows', async () => {
		const read = (_: string, { status, offset }: Item): Promise<Item> =>
			Promise.resolve({
				count: { filled: 3, accepted: 1 }[String(status)] ?? (status === undefined ? 1 : 0),
				orders: offset === 0 && (status === undefined || status === 'accepted') ? [open] : [],
			});
		const seen = await lookIn(read);
		expect(seen).toMatchObject({ complete: false, gap: 'the list counts 3 orders and shows 0' });
	});

	it('fails where the list of one status cannot be read', async () => {
		const answer = (status?: string) => (status === 'filled' ? refusedBy('timeout') : status ? [] : [open]);
		await expect(looked(answer)).rejects.toMatchObject({ code: 'timeout' });
	});
});

describe('a look for a recent order', () => {
	/** A list of an order each minute, and how many pages of it were read. */
	function longList() {
		let pages = 0;
		const read: Read = (_, { offset, limit }) => {
			pages += 1;
			const ages = Array.from({ length: Number(limit) }, (_, index) => Number(offset) + index);
			const orders = ages.map((age) => ({ ...open, id: `o${age}`, status: 'filled', created_at: timeOf(age) }));
			return Promise.resolve({ orders: Number(offset) < 5_000 ? orders : [] });
		};
		return { list: listAt(read), pages: () => pages };
	}
	const NOON = Date.UTC(2026, 0, 5, 12);
	const timeOf = (age: number): string => new Date(NOON - age * 60_000).toISOString();

	it('reads no further back than the order can be, and denies nothing', async () => {
		const { list, pages } = longList();
		const recent = { name: 'mine', matches: isNamed('mine'), since: NOON - 60 * 60_000 };
		expect(await list.look(recent)).toEqual({
			...{ orders: [], complete: false },
			gap: 'only its latest orders were read',
		});
		expect(pages()).toBe(2);
		expect(await list.look({ ...recent, isThorough: true })).toEqual({ orders: [], complete: true });
		expect(pages()).toBeGreaterThan(50);
	});

	it.each([false, true])('fails where the list cannot be read; thorough: %s', async (isThorough) => {
		const failing = listAt(() => Promise.reject(refusedBy('unavailable')));
		const recent = { matches: isNamed('mine'), isThorough };
		await expect(failing.look(recent)).rejects.toMatchObject({ code: 'unavailable' });
	});
});
