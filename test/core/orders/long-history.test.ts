import { createAccountLimits, type ExchangeError, type Item } from '@partner-exchange/core';
import { resting } from '../../support/placing';
import { APPEARS_AFTER_MS } from '../../../packages/core/src/orders/log/evidence';
import { LOOK_MS_MAX } from '../../../packages/core/src/orders/log/order-list';
import { UNSORTED_ROWS_MAX } from '../../../packages/core/src/orders/log/search';
import { longList, type ListHabits } from './long-list';

const SECOND = 1_000;
const messageOf = ({ error }: { error?: unknown }): string => (error as ExchangeError | undefined)?.message ?? '';

describe('a business key in an account with a long history', () => {
	it.each([[8_000, 90, 5]])(
		'reads a list of %i orders once, in %i pages, and then what is new in it',
		async (history, most, orders) => {
			const list = longList({ history });
			const { place } = list.process();
			const first = await list.measure(() => place('order 1'));
			expect([first.error, first.pages]).toEqual([undefined, most]);
			const pages: number[] = [];
			const times: number[] = [];
			for (let order = 2; order <= orders; order += 1) {
				const placed = await list.measure(() => place(`order ${order}`));
				expect(placed.error).toBeUndefined();
				pages.push(placed.pages);
				times.push(placed.ms);
			}
			expect(pages[0]).toBe(1);
			// The orders of the last minutes are read again, because the list may show another one among them late.
			expect(Math.max(...pages)).toBeLessThanOrEqual(4);
			expect(Math.max(...times)).toBeLessThan(SECOND);
			expect(list.writes).toHaveLength(orders);
		},
	);

	it.each<[string, ListHabits]>([
		['newest first', { history: 3_000 }],
		['oldest first', { history: 3_000, sorted: 'oldest_first' }],
		['newest first without a count', { history: 3_000, hasNoCount: true }],
		['oldest first without a count', { history: 3_000, sorted: 'oldest_first', hasNoCount: true }],
	])('reads little of a list that is %s, and finds what another process placed there', async (_, habits) => {
		const list = longList(habits);
		const [entry, other] = [list.process(), list.process()];
		await list.measure(() => entry.place('first'));
		await list.measure(() => other.place('invoice 7'));
		const again = await list.measure(() => entry.place('invoice 7'));
		expect(again.result).toMatchObject({ repeated: true });
		expect(again.pages).toBeLessThanOrEqual(3);
		const next = await list.measure(() => entry.place('next'));
		expect(next.error).toBeUndefined();
		expect(next.pages).toBeLessThanOrEqual(5);
		expect(list.writes).toHaveLength(3);
	});

	it.each<[string, ListHabits]>([
		['in no order by time', { history: 900, sorted: 'by_name' }],
		['without times', { history: 900, hasTimes: false }],
	])('reads all of a list %s for each order, and refuses one that is longer in words', async (_, habits) => {
		const list = longList(habits);
		const { place } = list.process();
		await list.measure(() => place('first'));
		expect((await list.measure(() => place('second'))).pages).toBeGreaterThan(9);
		const long = longList({ ...habits, history: UNSORTED_ROWS_MAX + 500 });
		const refused = await long.measure(() => long.process().place('first'));
		expect(refused.error).toMatchObject({ code: 'outcome_unknown' });
		expect(messageOf(refused)).toContain(`longer than ${UNSORTED_ROWS_MAX} rows and not sorted by time`);
		expect(long.writes).toEqual([]);
	});

	it('reads on where a look ended that took too long, and says how far it is', async () => {
		const list = longList({ history: 12_000, answerMs: SECOND });
		const { place } = list.process();
		const first = await list.measure(() => place('order 1'));
		expect(first.error).toMatchObject({ code: 'outcome_unknown' });
		expect(messageOf(first)).toMatch(
			new RegExp(`\\d+ of 12000 orders of the list were read in ${LOOK_MS_MAX / SECOND} seconds, and the next try`),
		);
		const second = await list.measure(() => place('order 1'));
		expect(second.result).toMatchObject({ status: 'pending' });
		expect(first.pages + second.pages).toBeLessThan(140);
		expect((await list.measure(() => place('order 2'))).pages).toBe(1);
	});

	it.each([
		['and counts its orders', false, false],
		['and does not count its orders', true, false],
		['and dates one of them a day ahead', true, true],
	])('finds an order behind newer ones where the list shows it late %s', async (_, hasNoCount, isAhead) => {
		const list = longList({ history: 2_000, hasNoCount });
		if (isAhead) list.add('ahead', { at: list.time.now() + 24 * 3_600 * SECOND, shownAt: list.time.now() });
		const { place } = list.process();
		await list.measure(() => place('first'));
		const other = list.process();
		await list.measure(() => other.place('invoice 7'));
		const late = list.orders.at(-1)!;
		list.change(late, { shownAt: late.at + 14 * SECOND });
		// Other programs place more than a page of orders meanwhile, which the process sees first.
		for (let order = 0; order < 250; order += 1) list.add(`busy ${order}`, { at: late.at + order * 20 });
		await list.time.run(late.at + 10 * SECOND);
		await list.measure(() => place('second'));
		await list.time.run(late.shownAt + 1);
		const again = await list.measure(() => place('invoice 7'));
		expect(again.result).toMatchObject({ repeated: true });
		expect(list.writes).toHaveLength(3);
	});

	/** A process that knows of an order of another one, which is older than what it reads again. */
	async function knowing(habits: Partial<ListHabits> = {}) {
		const list = longList({ history: 1_000, ...habits });
		await list.measure(() => list.process().place('invoice 7'));
		const order = list.orders.at(-1)!;
		const { place } = list.process();
		for (const name of ['first', 'second']) {
			list.addMany(200);
			await list.measure(() => place(name));
			await list.time.run(list.time.now() + 2 * APPEARS_AFTER_MS);
		}
		return { list, order, place };
	}

	it('reads an order that it knows of as it is now', async () => {
		const { list, order, place } = await knowing();
		list.change(order, { status: 'cancelled' });
		const again = await list.measure(() => place('invoice 7'));
		expect(again.result).toMatchObject({ order_id: order.id, status: 'cancelled', repeated: true });
		expect(list.reads).toEqual([order.id]);
		expect(again.pages).toBeLessThan(5);
	});

	it('places an order again whose order is gone, after it read the whole list', async () => {
		const { list, order, place } = await knowing();
		list.remove(order);
		const again = await list.measure(() => place('invoice 7'));
		expect([again.error, list.reads, list.writes.length]).toEqual([undefined, [order.id], 4]);
		expect(again.pages).toBeGreaterThan(10);
	});

	it('reads the whole list again where its count shows that an order was missed', async () => {
		const list = longList({ history: 2_000 });
		const { place } = list.process();
		await list.measure(() => place('first'));
		const other = list.process();
		await list.measure(() => other.place('invoice 7'));
		// A service that dates it wrongly shows it far behind what is read.
		const order = list.orders.at(-1)!;
		list.change(order, { at: order.at - 24 * 3_600 * SECOND });
		const again = await list.measure(() => place('invoice 7'));
		expect(again.result).toMatchObject({ repeated: true });
		expect(again.pages).toBeGreaterThan(15);
	});

	it('denies no old order because the limits of the account have read those of a day', async () => {
		const list = longList({ history: 8_000 });
		await list.measure(() => list.process().place('invoice 7'));
		list.change(list.orders.at(-1)!, { at: list.time.now() - 3 * 24 * 3_600 * SECOND });
		const { place, client } = list.process({}, { limits: createAccountLimits(list.time, { ordersPerDay: 5_000 }) });
		const plain = await list.measure(() => client().order.create(resting, { options: { check_market: false } }));
		expect([plain.error, plain.pages < 25]).toEqual([undefined, true]);
		const again = await list.measure(() => place('invoice 7'));
		expect(again.result).toMatchObject({ repeated: true });
		expect(list.writes).toHaveLength(2);
	});

	it('places an order once that two processes begin while they read a long list', async () => {
		const list = longList({ history: 8_000 });
		const [entry, other] = [list.process(), list.process()];
		const first = list.measure(() => entry.place('invoice 7'));
		await list.time.run(list.time.now() + SECOND);
		const second = await list.measure(() => other.place('invoice 7'));
		expect((await first).error).toBeUndefined();
		expect([second.result, list.writes.length]).toEqual([expect.objectContaining({ repeated: true }), 1]);
	});

	it('leaves an order unknown each time it looks, while the list shows one of its terms without a name', async () => {
		const list = longList({ history: 100 });
		const { place } = list.process();
		await list.measure(() => place('order 1'));
		const [{ client_order_id: _, ...terms }] = list.writes as [Item];
		list.add('of another program', { terms: { ...terms, client_order_id: undefined } });
		for (let look = 0; look < 4; look += 1) {
			expect((await list.measure(() => place('order 2'))).error).toMatchObject({ code: 'outcome_unknown' });
			await list.time.run(list.time.now() + 2 * APPEARS_AFTER_MS);
			list.addMany(150);
		}
		expect(list.writes).toHaveLength(1);
	});
});
