import { ExchangeError, type Item } from '@partner-exchange/core';
import { unknownShape, type ListShape } from '../../packages/core/src/wire/list-shape';
import { createListWalk } from '../../packages/core/src/wire/list-walk';

/** A service with a given sort order and page size, and the walk that reads its list. */
function openList(order: 'newest first' | 'oldest first', pageMax: number) {
	const rows: Item[] = [];
	const earlier = new Set<string>();
	const shape: ListShape = unknownShape();
	let reads = 0;
	let failures = 0;
	let isStrict = false;
	const show = () => (order === 'oldest first' ? rows : rows.toReversed());

	async function readAll(fails: () => boolean = () => false): Promise<void> {
		const walk = createListWalk({
			shape,
			read: async (offset) => {
				reads += 1;
				if (fails()) throw new Error('It failed');
				if (isStrict && offset >= rows.length) throw new ExchangeError('not_found', { what: 'no such page' });
				return show().slice(offset, offset + pageMax);
			},
			identityOf: ({ id }) => String(id),
			timeOf: ({ at }) => Number(at),
			isSettled: ({ id }) => earlier.has(String(id)),
			settledInARow: 3,
		});
		const read: Item[] = [];
		for (let tries = 0; tries < 1_000; tries += 1) {
			const page = await walk.next().catch(() => {
				failures += 1;
				return [];
			});
			if (!page) break;
			read.push(...page);
		}
		for (const { id } of read) earlier.add(String(id));
	}

	return {
		readAll,
		/** How many of the newest rows leave the list. */
		leave: (count: number) => void rows.splice(Math.max(0, rows.length - count)),
		happen: (count: number) => {
			for (let added = 0; added < count; added += 1) rows.push({ id: `r${rows.length}`, at: rows.length * 1_000 });
		},
		know: (...ids: string[]) => ids.forEach((id) => earlier.add(id)),
		unread: () => rows.filter(({ id }) => !earlier.has(String(id))).map(({ id }) => id),
		reads: () => reads,
		failures: () => failures,
		findsNothingBehind: () => void (isStrict = true),
	};
}

const lists = (['newest first', 'oldest first'] as const).flatMap((order) =>
	[1, 3, 10, 25].map((pageMax) => [order, pageMax] as const),
);

describe('a list that is walked', () => {
	it.each(lists)(
		'ends a list in order %s with %d rows a page where the service does not find a page behind its last row',
		async (order, pageMax) => {
			for (let count = 1; count <= 40; count += 1) {
				const list = openList(order, pageMax);
				list.happen(count);
				list.findsNothingBehind();
				await list.readAll();
				list.happen(2);
				await list.readAll();
				expect([count, list.unread(), list.failures()]).toEqual([count, [], 0]);
			}
		},
	);

	it.each(lists)('reads every row of a list in order %s with %d rows a page', async (order, pageMax) => {
		for (let count = 0; count <= 70; count += 1) {
			const list = openList(order, pageMax);
			list.happen(count);
			await list.readAll();
			expect([count, list.unread()]).toEqual([count, []]);
		}
	});

	it.each(lists)(
		'finds each row that comes later in a list in order %s with %d rows a page',
		async (order, pageMax) => {
			for (let count = 0; count <= 70; count += 7)
				for (const more of [1, 2, 9, 10, 11, 30]) {
					const list = openList(order, pageMax);
					list.happen(count);
					await list.readAll();
					list.happen(more);
					await list.readAll();
					list.happen(more);
					await list.readAll();
					expect([count, more, list.unread()]).toEqual([count, more, []]);
				}
		},
	);

	it.each(lists)(
		'reads every row of a list in order %s with %d rows a page although every third page fails',
		async (order, pageMax) => {
			for (let count = 1; count <= 70; count += 3) {
				const list = openList(order, pageMax);
				list.happen(count);
				let calls = 0;
				await list.readAll(() => (calls += 1) % 3 === 0);
				list.happen(12);
				await list.readAll(() => (calls += 1) % 3 === 0);
				expect([count, list.unread()]).toEqual([count, []]);
			}
		},
	);

	it('reads every row of a list whose pages differ in length', async () => {
		for (let first = 0; first < 5; first += 1) {
			const lengths = [7, 3, 25, 1, 12];
			const rows = Array.from({ length: 200 }, (_, index) => ({ id: `r${index}`, at: -index }));
			const seen = new Set<unknown>();
			let calls = first;
			const walk = createListWalk({
				shape: unknownShape(),
				read: async (offset) => Promise.resolve(rows.slice(offset, offset + lengths[(calls += 1) % lengths.length]!)),
				identityOf: ({ id }) => String(id),
				timeOf: ({ at }) => Number(at),
				isSettled: () => false,
				settledInARow: 3,
			});
			for (let page = await walk.next(); page; page = await walk.next()) for (const { id } of page) seen.add(id);
			expect([first, seen.size]).toEqual([first, rows.length]);
		}
	});

	it('continues behind a few known rows that others overtook', async () => {
		const list = openList('newest first', 3);
		list.happen(10);
		await list.readAll();
		list.happen(4);
		list.know('r13', 'r11');
		await list.readAll();
		expect(list.unread()).toEqual([]);
	});

	it.each([5, 10, 11, 25])(
		'reads every row of an unsorted list although one comes or goes anywhere between two pages of %d',
		async (pageMax) => {
			for (let place = 0; place <= 60; place += 1)
				for (const [after, come] of [1, 2, 3].flatMap((page) => [[page, ['new']] as const, [page, []] as const])) {
					const rows = Array.from({ length: 60 }, (_, index) => `r${index}`);
					const seen = new Set<string>();
					let calls = 0;
					const walk = createListWalk({
						shape: unknownShape(),
						read: async (offset) => {
							if ((calls += 1) === after + 1) rows.splice(place, 1 - come.length, ...come);
							return Promise.resolve(rows.slice(offset, offset + pageMax));
						},
						identityOf: (id: string) => id,
						timeOf: () => undefined,
						isSettled: () => false,
						settledInARow: 3,
					});
					for (let page = await walk.next(); page; page = await walk.next()) for (const id of page) seen.add(id);
					expect([place, after, rows.filter((id) => !seen.has(id) && id !== 'new')]).toEqual([place, after, []]);
				}
		},
	);

	it.each([5, 10, 40])(
		'reads every row of a newest-first list of %d a page although rows are inserted in front between the first pages',
		async (pageMax) => {
			for (let added = 0; added <= 100; added += 1) {
				const list = openList('newest first', pageMax);
				list.happen(200);
				let calls = 0;
				await list.readAll(() => {
					if ((calls += 1) === 2) list.happen(added);
					return false;
				});
				expect([added, list.unread().filter((id) => Number(String(id).slice(1)) < 200)]).toEqual([added, []]);
			}
		},
	);

	it.each([30, 40, 60])(
		'reads every row of a newest-first list although %d rows are inserted before each page',
		async (added) => {
			const list = openList('newest first', 40);
			list.happen(200);
			let calls = 0;
			await list.readAll(() => {
				if ((calls += 1) > 1 && calls < 6) list.happen(added);
				return false;
			});
			expect(list.unread().filter((id) => Number(String(id).slice(1)) < 200)).toEqual([]);
		},
	);

	it.each([2, 3, 5])('reads every row of a newest-first list although some leave it before page %d', async (number) => {
		for (let left = 0; left <= 200; left += 1) {
			const list = openList('newest first', 40);
			list.happen(200);
			let calls = 0;
			await list.readAll(() => {
				if ((calls += 1) === number) list.leave(left);
				return false;
			});
			expect([left, list.unread()]).toEqual([left, []]);
			expect(list.reads()).toBeLessThan(20);
		}
	});

	it('ends after three pages when the service ignores the offset', async () => {
		const requests: number[] = [];
		const walk = createListWalk({
			shape: unknownShape(),
			read: async (offset) => {
				requests.push(offset);
				return Array.from({ length: 40 }, (_, index) => ({ id: index, at: -index }));
			},
			identityOf: ({ id }) => String(id),
			timeOf: ({ at }) => Number(at),
			isSettled: () => false,
			settledInARow: 3,
		});
		while (await walk.next());
		expect([requests, walk.isWhole()]).toEqual([[0, 30, 0], true]);
	});

	it('ends the walk of a list when the service shows nothing beyond some offset', async () => {
		let reads = 0;
		const walk = createListWalk({
			shape: unknownShape(),
			read: async (offset) => {
				reads += 1;
				return Array.from({ length: offset >= 90 ? 0 : 40 }, (_, index) => ({
					id: offset + index,
					at: -offset - index,
				}));
			},
			identityOf: ({ id }) => String(id),
			timeOf: ({ at }) => Number(at),
			isSettled: () => false,
			settledInARow: 3,
		});
		while (await walk.next());
		expect([reads, walk.isWhole()]).toEqual([6, true]);
	});

	it.each([5, 18, 40])(
		'reads an oldest-first list of %d known rows with no more requests than before',
		async (count) => {
			const list = openList('oldest first', 10);
			list.happen(count);
			await list.readAll();
			const before = list.reads();
			await list.readAll();
			expect(list.reads() - before).toBeLessThanOrEqual(4);
		},
	);
});
