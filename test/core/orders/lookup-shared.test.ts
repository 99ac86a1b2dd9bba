import type { Item } from '@partner-exchange/core';
import { createLogs, emptyLog, LOG_ROWS_MAX, type SearchEnd } from '../../../packages/core/src/orders/log/order-log';
import { createPagePace, pagesOf } from '../../../packages/core/src/orders/log/page';
import { beginSearch } from '../../../packages/core/src/orders/log/search';
import { createSharing, type Gaps, type Party } from '../../../packages/core/src/orders/log/sharing';
import { settled, virtualTime } from '../../simulation/support/time';

const whole = { complete: true };
const partly = { complete: false };

const order = (id: string): Item => ({ id });

/** Lookups that continue page by page when the test releases them. */
function opened() {
	const share = createSharing();
	const begun: { party: Party; end(): void; fail(error: Error): void }[] = [];
	const read = (party: Party): Promise<Gaps> =>
		new Promise((resolve, reject) => begun.push({ party, end: () => resolve({}), fail: reject }));
	const look = (id: string, signal?: AbortSignal, name = 'list') =>
		share(name, { matches: (row) => row.id === id, isThorough: true }, read, signal);
	return { begun, look };
}

describe('shared readings of the order list', () => {
	it('shares one list reading among lookups of the same turn', async () => {
		const { begun, look } = opened();
		const looks = ['a', 'b', 'c'].map((id) => look(id));
		await settled();
		expect(begun).toHaveLength(1);
		begun[0]!.party.see([order('a'), order('c')]);
		begun[0]!.end();
		expect(await Promise.all(looks)).toEqual([
			{ orders: [order('a')], ...partly },
			{ orders: [], ...whole },
			{ orders: [order('c')], ...partly },
		]);
	});

	it('starts the next list reading for a lookup that comes while one is in progress', async () => {
		const { begun, look } = opened();
		void look('a');
		await settled();
		const late = [look('b'), look('c')];
		begun[0]!.party.see([order('b')]);
		await settled();
		expect(begun).toHaveLength(1);
		begun[0]!.end();
		await settled();
		expect(begun).toHaveLength(2);
		begun[1]!.party.see([order('c')]);
		begun[1]!.end();
		expect(await Promise.all(late)).toEqual([
			{ orders: [], ...whole },
			{ orders: [order('c')], ...partly },
		]);
	});

	it('reads separately for lookups with another filter', async () => {
		const { begun, look } = opened();
		void look('a');
		void look('a', undefined, 'another list');
		await settled();
		expect(begun).toHaveLength(2);
	});

	it('hands a match over at once with every order of its page, and reads on for the others', async () => {
		const { begun, look } = opened();
		const [a, b] = [look('a'), look('b')];
		await settled();
		const { party, end } = begun[0]!;
		party.see([order('a'), { id: 'a', copy: true }, { id: 'x' }]);
		expect(await a).toEqual({ orders: [{ id: 'a', copy: true }], ...partly });
		expect(party.isOver()).toBe(false);
		party.see([order('b')]);
		expect(party.isOver()).toBe(true);
		end();
		expect(await b).toEqual({ orders: [order('b')], ...partly });
	});

	it('stops a list reading when its last lookup has left', async () => {
		const { begun, look } = opened();
		const [first, second] = [new AbortController(), new AbortController()];
		const looks = [look('a', first.signal), look('b', second.signal)];
		await settled();
		first.abort();
		await expect(looks[0]).rejects.toThrow('stopped');
		expect([begun[0]!.party.isOver(), begun[0]!.party.signal.aborted]).toEqual([false, false]);
		second.abort();
		await expect(looks[1]).rejects.toThrow('stopped');
		expect([begun[0]!.party.isOver(), begun[0]!.party.signal.aborted]).toEqual([true, true]);
	});

	it('begins no list reading for lookups that have left', async () => {
		const { begun, look } = opened();
		await expect(look('a', AbortSignal.abort())).rejects.toThrow('stopped');
		await settled();
		expect(begun).toEqual([]);
		void look('b');
		await settled();
		expect(begun).toHaveLength(1);
	});

	it('fails a list reading for the lookups that wait for it, and for nobody else', async () => {
		const { begun, look } = opened();
		const looks = [look('a'), look('b')];
		await settled();
		const late = look('c');
		begun[0]!.fail(new Error('unreadable'));
		await expect(looks[0]).rejects.toThrow('unreadable');
		await expect(looks[1]).rejects.toThrow('unreadable');
		await settled();
		begun[1]!.end();
		expect(await late).toEqual({ orders: [], ...whole });
	});

	it('limits list readings to ten pages a second once they are forty pages ahead', async () => {
		const clock = virtualTime(0);
		const pace = createPagePace();
		let pages = 0;
		const read = () => Promise.resolve(void (pages += 1));
		const { signal } = new AbortController();
		// Several at once, each with as many pages as it may read.
		for (let reader = 0; reader < 3; reader += 1) {
			const page = pagesOf({ read, clock, pace, signal, isPatient: false });
			void (async () => {
				for (;;) await page({});
			})();
		}
		for (let second = 0; second < 20; second += 1) {
			await clock.run(second * 1_000);
			expect(pages).toBeLessThanOrEqual(40 + 4 + second * 10);
			expect(pages).toBeGreaterThanOrEqual(40 + (second - 1) * 10 - 4);
		}
	});
});

describe('what a process remembers of order lists', () => {
	it('forgets the list that was not looked at for longest when all together are too long', () => {
		const logOf = createLogs();
		const [first, second] = [logOf('first'), logOf('second')];
		[first.rows, second.rows] = [LOG_ROWS_MAX - 1, 1];
		expect([logOf('second'), logOf('first')]).toEqual([second, first]);
		const third = logOf('third');
		third.rows = 1;
		expect(logOf('first')).toBe(first);
		expect(logOf('third')).toBe(third);
		expect(logOf('second').rows).toBe(0);
	});
});

describe('a reading of the order list that is continued', () => {
	/** A reading of a list that a test changes between two pages. */
	function readingOf(page: (offset: number) => Item) {
		return beginSearch(emptyLog(), {
			...{ beganAt: 0, settledBefore: -Infinity, isWhole: true },
			page: (query) => Promise.resolve(page(Number(query.offset))),
		});
	}

	async function endOf(reading: ReturnType<typeof readingOf>): Promise<SearchEnd> {
		for (let pages = 0; pages < 10; pages += 1) {
			const next = await reading.next();
			if (!Array.isArray(next)) return next;
		}
		return { gap: 'it never ends' };
	}

	const order = (id: string, created_at: string): Item => ({ id, created_at, status: 'filled' });

	it('treats a list as paged when as many new orders arrived in front as were read before', async () => {
		const orders = [order('first', '2026-01-05T09:00:00Z')];
		const reading = readingOf((offset) => ({ count: orders.length, orders: orders.slice(offset) }));
		await reading.next();
		orders.unshift(order('second', '2026-01-05T09:00:10Z'));
		expect(await reading.next()).toEqual([orders[1]]);
		expect(await endOf(reading)).toEqual({});
	});

	it('treats a list as unpaged when every page begins like the first one', async () => {
		const orders = [order('first', '2026-01-05T09:00:00Z')];
		const reading = readingOf(() => ({ count: 1, orders }));
		expect(await endOf(reading)).toEqual({ gap: 'the list does not go on to a second page' });
	});
});
