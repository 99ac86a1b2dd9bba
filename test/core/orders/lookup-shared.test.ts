import type { Item } from '@partner-exchange/core';
import {
	type ListFacts,
	type Party,
	createListMemories,
	createReadings,
} from '../../../packages/core/src/orders/lookup/readings';
import { settled, virtualTime } from '../../simulation/support/time';
import { INDEX_ROWS_MAX } from '../../../packages/core/src/orders/lookup/name-index';
import { openReading } from '../../../packages/core/src/orders/lookup/list-reading';
import { unknownShape } from '../../../packages/core/src/wire/list-shape';

const facts: ListFacts = { gap: undefined };

const order = (id: string): Item => ({ id });

/** Lookups that continue page by page when the test releases them. */
function opened() {
	const clock = virtualTime(0);
	const readings = createReadings();
	const begun: { party: Party; end(): void; fail(error: Error): void }[] = [];
	const read = (party: Party): Promise<ListFacts> =>
		new Promise((resolve, reject) => begun.push({ party, end: () => resolve(facts), fail: reject }));
	const look = (id: string, signal?: AbortSignal, name = 'list') =>
		readings.join(
			name,
			{ matches: (row) => row.id === id, signal, stopped: () => new Error('stopped') },
			{ read, clock },
		);
	return { clock, begun, look };
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
			{ orders: [order('a')] },
			{ orders: [], facts },
			{ orders: [order('c')] },
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
		expect(await Promise.all(late)).toEqual([{ orders: [], facts }, { orders: [order('c')] }]);
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
		expect(await a).toEqual({ orders: [{ id: 'a', copy: true }] });
		expect(party.isOver()).toBe(false);
		party.see([order('b')]);
		expect(party.isOver()).toBe(true);
		end();
		expect(await b).toEqual({ orders: [order('b')] });
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
		expect(await late).toEqual({ orders: [], facts });
	});

	it('limits list readings to ten pages a second once they are forty pages ahead', async () => {
		const { clock, begun, look } = opened();
		let pages = 0;
		for (let second = 0; second < 20; second += 1) {
			while (begun.length > 0) {
				const { party, end } = begun.pop()!;
				for (let page = 0; page < 4; page += 1) party.see([]);
				pages += 4;
				void look('never');
				end();
				await settled();
			}
			if (second === 0) {
				void look('never');
				await settled();
				continue;
			}
			expect(pages).toBeLessThanOrEqual(40 + 4 + second * 10);
			expect(pages).toBeGreaterThanOrEqual(40 + (second - 1) * 10 - 4);
			await clock.run(second * 1_000);
		}
	});
});

describe('what a process remembers of order lists', () => {
	it('forgets the list that was not looked at for longest when all together are too long', () => {
		const memoryOf = createListMemories();
		const [first, second] = [memoryOf('first'), memoryOf('second')];
		[first.index.rows, second.index.rows] = [INDEX_ROWS_MAX - 1, 1];
		expect([memoryOf('second'), memoryOf('first')]).toEqual([second, first]);
		const third = memoryOf('third');
		third.index.rows = 1;
		expect(memoryOf('first')).toBe(first);
		expect(memoryOf('third')).toBe(third);
		expect(memoryOf('second').index.rows).toBe(0);
	});
});

describe('a reading of the order list that is continued', () => {
	/** A reading of a list that a test changes between two pages. */
	function readingOf(page: (offset: number) => Item) {
		return openReading({
			...{ filter: {}, shape: unknownShape(), isSettled: () => false, isToTheEnd: true },
			page: (query) => Promise.resolve(page(Number(query.offset))),
		});
	}

	const order = (id: string, created_at: string): Item => ({ id, created_at, status: 'accepted' });

	it('treats a list as paged when as many new orders arrived in front as were read before', async () => {
		const orders = [order('first', '2026-01-05T09:00:00Z')];
		const reading = readingOf((offset) => ({ count: orders.length, orders: orders.slice(offset) }));
		await reading.next();
		orders.unshift(order('second', '2026-01-05T09:00:10Z'));
		expect(await reading.next()).toEqual([orders[1]]);
		expect(reading.repeats()).toBe(false);
	});

	it('treats a list as unpaged when every page begins like the first one', async () => {
		const orders = [order('first', '2026-01-05T09:00:00Z')];
		const reading = readingOf(() => ({ count: 1, orders }));
		await reading.next();
		await reading.next();
		expect(reading.repeats()).toBe(true);
	});
});
