import { ExchangeError, type Item } from '@partner-exchange/core';
import { awaitOrder, isUnfilled, type AwaitedOrder } from '../../../packages/core/src/orders/await';
import { quickClock } from '../../support/wire';

/** An order list that shows these orders. */
const listOf = (rows: readonly Item[]): AwaitedOrder['list'] => ({
	find: ({ matches }) => Promise.resolve({ orders: rows.filter(matches), hidden: [], complete: true }),
});

type Reading = Item | Error | (() => void);

const order = (status: string, filled_quantity?: string): Item => ({ id: 'order-1', status, filled_quantity });

/** Waits while the order returns these states in turn; the last one repeats. */
async function waitWhile(readings: Reading[], options: Partial<AwaitedOrder> = {}) {
	const clock = quickClock();
	let reads = 0;
	const read = (id: string, input: unknown): Promise<unknown> => {
		expect([id, input]).toEqual(['order.get', { order_id: 'order-1' }]);
		const reading = readings[Math.min(reads, readings.length - 1)]!;
		reads += 1;
		if (reading instanceof Error) return Promise.reject(reading);
		return Promise.resolve(typeof reading === 'function' ? reading() : reading);
	};
	const awaited = { orderId: 'order-1', until: 'final', limitMs: 30_000, context: {}, ...options } as const;
	const result = await awaitOrder({ read, list: listOf([]), ports: { clock }, ...awaited });
	return { ...result, reads, waited: clock.waited };
}

describe('the readings of an order while a call waits for it', () => {
	it('reads an awaited order soon at first, then less and less often, until the time limit', async () => {
		const { wait, waited, reads } = await waitWhile([order('accepted')]);
		expect(waited).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000, 2_250]);
		expect(reads).toBe(11);
		expect(wait).toEqual({
			until: 'final',
			reached: false,
			ended: 'time_limit',
			waited_seconds: 30,
			stale_readings: 0,
		});
	});

	it('reads an awaited order at once when the stream names it, and once per message', async () => {
		let hint = () => undefined as void;
		let closed = 0;
		const wakeups = (listener: () => void) => ((hint = listener), () => void (closed += 1));
		const { waited, reads } = await waitWhile([() => (hint(), order('accepted')), order('accepted'), order('filled')], {
			wakeups,
		});
		expect({ waited, reads, closed }).toEqual({ waited: [500], reads: 3, closed: 1 });
	});
});

describe('a wait for an order', () => {
	it.each([
		['filled', 'final', { ended: 'reached', reached: true }],
		['cancelled', 'final', { ended: 'reached', reached: true }],
		['rejected', 'final', { ended: 'rejected', reached: true }],
		['rejected', 'accepted', { ended: 'rejected', reached: false }],
		['expired', 'final', { ended: 'expired', reached: false }],
		['expired', 'accepted', { ended: 'expired', reached: false }],
		['accepted', 'accepted', { ended: 'reached', reached: true }],
		['partially_filled', 'accepted', { ended: 'reached', reached: true }],
		['filled', 'accepted', { ended: 'reached', reached: true }],
		['cancelled', 'accepted', { ended: 'cancelled', reached: false }],
		['pending', 'accepted', { ended: 'time_limit', reached: false }],
		['accepted', 'final', { ended: 'time_limit', reached: false }],
		['unheard_of', 'final', { ended: 'time_limit', reached: false }],
	] as const)('a wait for an order that is %s, until %s, ends with %j', async (status, until, report) => {
		expect((await waitWhile([order(status, '0')], { until })).wait).toMatchObject({ until, ...report });
	});

	it.each([undefined, 'none', '0.1'])('counts an order cancelled with %j filled as accepted', async (filled) => {
		const { wait } = await waitWhile([order('cancelled', filled)], { until: 'accepted' });
		expect(wait).toMatchObject({ ended: 'reached', reached: true });
	});
});

describe('a stale reading of an order', () => {
	const stored = order('partially_filled', '4.00');

	it.each([
		['an earlier status', order('accepted', '4.00'), 1],
		['less filled', order('partially_filled', '3.99'), 1],
		['an earlier status and more filled', order('accepted', '5.00'), 1],
		['the same again', order('partially_filled', '4'), 0],
		['more filled', order('partially_filled', '4.01'), 0],
		['nothing of what is filled', order('partially_filled'), 0],
		['a status never heard of', order('paused', '4.00'), 0],
	])('compares a reading with the latest one: %s', async (_, reading, stale) => {
		const { wait, order: seen } = await waitWhile([stored, reading], { limitMs: 250 });
		expect(wait.stale_readings).toBe(stale);
		expect(seen).toEqual(stale > 0 ? stored : reading);
	});
});

describe('an order that is over', () => {
	it('calls an order unfilled only if it shows that nothing was filled', () => {
		expect(
			['0', '0.00', '0E-8', '0.01', 'nothing', undefined].map((filled) => isUnfilled(order('cancelled', filled))),
		).toEqual([...[true, true, true, false, false, false]]);
	});
});

describe('an order that somebody replaces while a call waits for it', () => {
	const replaced = (id: string, by: string | null, more: Item = {}): Item => ({
		...{
			id,
			status: 'cancelled',
			filled_quantity: '0.00',
			replace: { replaced_by_order_id: by, replaces_order_id: null },
		},
		...more,
	});

	/** Waits for order `a` while every order has the states it goes through, the last of which stays. */
	async function waitFor(states: Record<string, Item[]>, options: Partial<AwaitedOrder> = {}) {
		const clock = quickClock();
		const read = (_: string, input: unknown): Promise<unknown> => {
			const own = states[(input as { order_id: string }).order_id]!;
			return Promise.resolve(own.length > 1 ? own.shift() : own[0]);
		};
		return awaitOrder({
			orderId: 'a',
			until: 'final',
			limitMs: 30_000,
			context: {},
			read,
			list: listOf([]),
			ports: { clock },
			...options,
		});
	}

	const filled = { id: 'b', status: 'filled', filled_quantity: '10.00' };
	const created_at = '2026-01-31T12:00:00Z';

	it.each<[string, Item, Item[]]>([
		[
			'the order that replaced it',
			replaced('a', null, { created_at }),
			[{ ...filled, replace: { replaces_order_id: 'a' } }],
		],
		['a field of that order', replaced('a', null, { created_at }), [{ ...filled, replaces_order_id: 'a' }]],
		['a field of its own', { id: 'a', status: 'cancelled', replaced_by_order_id: 'b' }, []],
	])('is awaited in its successor where that is named by %s alone', async (_, order, rows) => {
		const { order: last, replacedBy } = await waitFor({ a: [order], b: [filled] }, { list: listOf(rows) });
		expect([last?.id, replacedBy]).toEqual(['b', 'b']);
	});

	it('is told as cancelled where the list shows no other order, or cannot be read', async () => {
		const find = () => Promise.reject(new ExchangeError('unavailable', { what: 'simulated' }));
		for (const list of [listOf([{ ...filled, replaces_order_id: 'c' }]), { find }]) {
			const { order, replacedBy, wait } = await waitFor({ a: [replaced('a', null, { created_at })] }, { list });
			expect([order?.id, replacedBy, wait.ended]).toEqual(['a', undefined, 'reached']);
		}
	});

	it('is awaited in its successor, and in the successor of that', async () => {
		const {
			order: last,
			replacedBy,
			wait,
		} = await waitFor({
			a: [replaced('a', null, { status: 'accepted' }), replaced('a', 'b')],
			b: [replaced('b', null, { status: 'accepted' }), replaced('b', 'c')],
			c: [
				replaced('c', null, { status: 'accepted' }),
				replaced('c', null, { status: 'filled', filled_quantity: '10.00' }),
			],
		});
		expect({ id: last?.id, status: last?.status, replacedBy, wait: wait.ended }).toEqual({
			...{ id: 'c', status: 'filled', replacedBy: 'c', wait: 'reached' },
		});
	});

	it('is not followed in circles, nor by a cancel, which is about that order alone', async () => {
		const circle = await waitFor({ a: [replaced('a', 'b')], b: [replaced('b', 'a')] });
		expect([circle.order?.id, circle.wait.ended]).toEqual(['b', 'reached']);
		const cancel = await waitFor({ a: [replaced('a', 'b')] }, { isThisAlone: true });
		expect([cancel.order?.id, cancel.replacedBy]).toEqual(['a', undefined]);
	});
});
