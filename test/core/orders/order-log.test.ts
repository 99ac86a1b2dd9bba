import type { Item } from '@partner-exchange/core';
import { APPEARS_AFTER_MS, completed, isOlder, knownBefore } from '../../../packages/core/src/orders/log/denial';
import { emptyLog, enter, hidesNames, idsOf, knows } from '../../../packages/core/src/orders/log/order-log';

const NOON = Date.UTC(2026, 0, 31, 12);
const order = (id: string, name: unknown, ageMs = 0): Item => ({
	...{ id, client_order_id: name, created_at: new Date(NOON - ageMs).toISOString() },
});

function knowing(...orders: Item[]) {
	const index = emptyLog();
	enter(index, orders);
	return index;
}

describe('the orders that a list has shown', () => {
	it.each<[string, Item, boolean]>([
		['the same order', order('o1', 'mine'), true],
		['its name in another case', order('o1', 'MINE'), true],
		['another order under its name', order('o2', 'mine'), false],
		['its ID under another name', order('o1', 'theirs'), false],
		['its ID without a name', { id: 'o1' }, false],
	])('an index of names knows %s: %j is %s', (_, row, expected) => {
		expect(knows(knowing(order('o1', 'mine')), row)).toBe(expected);
	});

	it('finds the orders of a list by the name of their intent, however it is written, and as many as it has', () => {
		const key = '92284e04-68fc-8234-baef-1cc58d9b4dc9';
		const index = knowing(order('o1', key), order('o2', `trace-${key}`), order('o1', key), order('o3', 'other'));
		expect(idsOf(index, key.toUpperCase())).toEqual(['o1', 'o2']);
		expect([idsOf(index, 'nobody'), index.rows]).toEqual([[], 3]);
	});

	it('tells an order by its terms where the list does not show its name, beside others or not', () => {
		const terms = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1' };
		const [missing, empty, none] = [
			{ id: 'o1' },
			{ id: 'o2', client_order_id: '' },
			{ id: 'o3', client_order_id: null },
		];
		const rows = [missing, empty, none].map((row) => ({ ...row, ...terms }));
		for (const named of [[], [order('o0', 'mine')]]) {
			const log = knowing(...named, ...rows.map((row) => ({ ...row, status: 'filled' })));
			expect([...log.unnamed.values()]).toEqual(rows);
			expect([log.rows, hidesNames(log)]).toEqual([3 + named.length, named.length === 0]);
		}
		expect(hidesNames(knowing())).toBe(false);
	});

	it.each([
		['92284e04-68fc-8234-baef-1cc58d9b4dc9', '92284e04-68fc-82', true],
		['92284e04-68fc-8234-baef-1cc58d9b4dc9', '92284e0', false],
		['a-name-that-is-long-enough', 'a-name-that-is-l', true],
		['order 10', 'order 1', false],
	])('looks for %s under %s, where names may be cut short: %s', (name, shown, expected) => {
		expect(idsOf(knowing(order('o1', shown)), name)).toEqual(expected ? ['o1'] : []);
	});

	it('an index of names proves nothing before the list was read whole, nor where it shows no times', () => {
		expect(knownBefore(knowing(order('o1', 'mine')))).toBeUndefined();
		const undated = knowing({ id: 'o1', client_order_id: 'mine' });
		completed(undated, 0);
		expect(knownBefore(undated)).toBeUndefined();
	});

	it('a list shows all orders of a time long before the search began, by the clock of the orders', () => {
		const index = knowing(order('o1', 'a', 5_000), order('o2', 'b'));
		completed(index, 20_000);
		expect(knownBefore(index)).toBe(NOON - 20_000 - APPEARS_AFTER_MS);
		// The time of an order that lies ahead of the service's own clock counts for nothing.
		completed(index, 20_000, NOON - 60_000);
		expect(knownBefore(index)).toBe(NOON - 80_000 - APPEARS_AFTER_MS);
		completed(index, 20_000, NOON + 60_000);
		expect(knownBefore(index)).toBe(NOON - 20_000 - APPEARS_AFTER_MS);
	});

	it.each<[string, Item, boolean]>([
		['one that is known and old', order('o1', 'a', APPEARS_AFTER_MS + 1), true],
		['one at the edge', order('o2', 'b', APPEARS_AFTER_MS), false],
		['one that is old and not known', order('o4', 'd', APPEARS_AFTER_MS + 1), false],
		['one without a time', { id: 'o1', client_order_id: 'a' }, false],
	])('an index of names needs no reading of %s: %j %s', (_, row, expected) => {
		const index = knowing(order('o1', 'a', APPEARS_AFTER_MS + 1), order('o2', 'b', APPEARS_AFTER_MS), order('o3', 'c'));
		completed(index, 0);
		expect(isOlder(row, knownBefore(index)!) && knows(index, row)).toBe(expected);
	});
});
