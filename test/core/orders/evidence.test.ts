import { ExchangeError, type Item } from '@partner-exchange/core';
import { APPEARS_AFTER_MS, isOlder, knownBefore } from '../../../packages/core/src/orders/log/evidence';
import { createOrderList, createOrderLogs } from '../../../packages/core/src/orders/log/order-list';
import type { QueryResult } from '../../../packages/core/src/orders/log/shared-reads';
import { orderPolicy } from '../../../packages/core/src/orders/machine/policy';
import { virtualTime } from '../../simulation/support/time';

const NOON = Date.UTC(2026, 0, 31, 12);
const row = (id: string, more: Item = {}): Item => ({
	...{ id, client_order_id: `of ${id}`, status: 'filled', created_at: new Date(NOON).toISOString(), ...more },
});
const open = row('o1', { status: 'accepted' });

/** What a list with these answers says of a name that it does not show. */
async function denied(answer: (query: Item) => Item): Promise<QueryResult> {
	const clock = virtualTime(NOON);
	const list = createOrderList({
		read: async (_, query) => answer(query),
		...{ clock, name: 'account', logs: createOrderLogs(), service: { at: () => undefined } },
	});
	return list.find({ name: 'mine', matches: ({ client_order_id }) => client_order_id === 'mine', isThorough: true });
}

const first = (query: Item, orders: Item[], count?: number): Item => ({
	...(count === undefined ? {} : { count }),
	orders: query.offset === 0 ? orders : [],
});

describe('whether a list that does not show an order denies it', () => {
	it.each<[string, (query: Item) => Item, string | undefined]>([
		['was read to its end', (query) => first(query, [row('o1')], 1), undefined],
		['does not count', (query) => first(query, [row('o1')]), undefined],
		['counts fewer than it shows', (query) => first(query, [row('o1'), row('o2')], 1), undefined],
		['counts more than it shows', (query) => first(query, [row('o1')], 2), 'counts 2 orders and shows 1'],
		[
			'says that more follow',
			(query) => ({ ...first(query, [row('o1')]), has_more: query.offset === 0 }),
			'more orders follow',
		],
		[
			'names a next page',
			(query) => ({ ...first(query, [row('o1')]), paging: { next_cursor: 'c' } }),
			'more orders follow',
		],
		['says that no more follow', (query) => ({ ...first(query, [row('o1')]), has_more: false, next: null }), undefined],
		[
			'says so and names a cursor',
			(query) => ({ ...first(query, [row('o1')]), has_more: false, next: 'c' }),
			undefined,
		],
		[
			'has a larger total than it shows',
			(query) => ({ ...first(query, [row('o1')], 1), meta: { total: 2 } }),
			'counts 2 orders and shows 1',
		],
		[
			'is empty and refuses to filter by status',
			(query) => {
				if (query.status !== undefined) throw new ExchangeError('refused', { what: 'simulated' });
				return first(query, [], 0);
			},
			'may hide them',
		],
		['shows its first page again', () => ({ orders: [row('o1')] }), 'does not go on to a second page'],
		[
			'shows open orders alone, and the others by status',
			(query) => first(query, query.status === undefined || query.status === 'accepted' ? [open] : []),
			undefined,
		],
		[
			'shows open orders alone, and the others by status, in capitals',
			(query) =>
				first(
					query,
					query.status === undefined || query.status === 'accepted' ? [{ ...open, status: 'ACCEPTED' }] : [],
				),
			undefined,
		],
		['shows open orders alone, whatever it is asked for', (query) => first(query, [open]), 'does not filter by status'],
		[
			'counts more of one status than it shows',
			(query) =>
				query.status === 'filled'
					? first(query, [], 1)
					: first(query, query.status === undefined || query.status === 'accepted' ? [open] : []),
			'counts 1 orders and shows 0',
		],
	])('a list that %s', async (_, answer, gap) => {
		const { complete, gap: told } = await denied(answer);
		expect([complete, told]).toEqual([gap === undefined, gap === undefined ? undefined : expect.stringContaining(gap)]);
	});

	it('waits for what may arrive late, and for what lists show late, before an order counts as old', () => {
		const { lateArrivalMs, conclusiveMs } = orderPolicy();
		expect(APPEARS_AFTER_MS).toBe(lateArrivalMs + conclusiveMs);
		const before = knownBefore({ wholeUntil: NOON })!;
		const aged = (ageMs: number): boolean => isOlder({ created_at: new Date(NOON - ageMs).toISOString() }, before);
		expect([aged(APPEARS_AFTER_MS + 1), aged(APPEARS_AFTER_MS), aged(0)]).toEqual([true, false, false]);
		expect([isOlder({}, before), isOlder({ created_at: 'soon' }, before)]).toEqual([false, false]);
		expect(knownBefore({})).toBeUndefined();
	});
});
