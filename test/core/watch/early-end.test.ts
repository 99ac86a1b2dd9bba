/** Pages that were read are kept, wherever the read of a list ends too early. */
import { failure, MINUTE_MS, NOW, openWallet, row, rowsUntilNow, SECOND_MS } from './service';

const ids = (told: string[]): string[] => told.map((key) => key.split(':')[0]!);
/** New rows, one each ten milliseconds after now, the newest first. */
const added = (count: number) =>
	Array.from({ length: count }, (_, index) => row(`n${count - index}`, NOW + MINUTE_MS + (count - index) * 10));

describe('a list that cannot be read to its end', () => {
	it.each([
		['refuses what lies far behind', failure('refused')],
		['breaks at an old row', failure('unavailable')],
	])('is looked at for the first time, and what is new is told, where the service %s', async (_, error) => {
		const wallet = openWallet(rowsUntilNow(2_000));
		wallet.failsFrom = { offset: 500, error };
		expect(await wallet.told()).toEqual([]);
		wallet.list = [row('new', NOW + SECOND_MS), ...wallet.list];
		wallet.now = NOW + MINUTE_MS;
		expect(ids(await wallet.told())).toEqual(['new']);
		expect(wallet.said[0]).toMatch(/not read to its end \(It failed/);
		// The rows behind are old, also once they can be read.
		wallet.failsFrom = undefined;
		wallet.list = [...added(60), ...wallet.list];
		expect(ids(await wallet.told())).toHaveLength(60);
	});

	it('tells what was created while a first look waited for a page', async () => {
		const wallet = openWallet([row('before', NOW - MINUTE_MS)]);
		const late = {
			offset: 1,
			get error() {
				wallet.now += 10 * SECOND_MS;
				return failure('unavailable');
			},
		};
		wallet.failsFrom = late;
		expect(await wallet.told()).toEqual([]);
		wallet.failsFrom = undefined;
		wallet.list = [row('during', NOW + 5 * SECOND_MS), ...wallet.list];
		expect(ids(await wallet.told())).toEqual(['during']);
	});

	it('tells what the list shows late although a first look ended too early before, and nothing of an hour ago', async () => {
		const wallet = openWallet([row('before', NOW - MINUTE_MS)]);
		wallet.failsFrom = { offset: 1, error: failure('unavailable') };
		expect(await wallet.told()).toEqual([]);
		wallet.failsFrom = undefined;
		wallet.list = [row('late', NOW - 10 * SECOND_MS), ...wallet.list, row('old', NOW - 61 * MINUTE_MS)];
		expect(ids(await wallet.told())).toEqual(['late']);
	});

	it('tells all of many in as many polls as the service allows pages for', async () => {
		const wallet = openWallet(rowsUntilNow(300));
		await wallet.poll();
		wallet.list = [...added(2_000), ...wallet.list];
		wallet.now = NOW + 2 * MINUTE_MS;
		const told: string[] = [];
		for (let polls = 0; polls < 6; polls += 1) {
			wallet.pagesLeft = 10;
			told.push(...ids(await wallet.told()));
		}
		expect(new Set(told).size).toBe(2_000);
		expect(told).toHaveLength(2_000);
	});

	it('tells what comes meanwhile, and of the rest nothing twice', async () => {
		const wallet = openWallet(rowsUntilNow(300));
		await wallet.poll();
		wallet.list = [...added(1_000), ...wallet.list];
		wallet.pagesLeft = 3;
		const told = ids(await wallet.told());
		expect(told).toContain('n1000');
		wallet.list = [row('later', NOW + 3 * MINUTE_MS), ...wallet.list];
		wallet.pagesLeft = 4;
		told.push(...ids(await wallet.told()));
		expect(told).toContain('later');
		wallet.pagesLeft = Infinity;
		told.push(...ids(await wallet.told()), ...ids(await wallet.told()));
		expect(told).toHaveLength(1_001);
		expect(new Set(told).size).toBe(1_001);
	});

	it.each([
		['the oldest first', (rows: ReturnType<typeof added>) => rows.toReversed()],
		['in no order', (rows: ReturnType<typeof added>) => rows.map((each, at) => rows[(at * 977) % rows.length] ?? each)],
	])('is read anew where it stands %s', async (_, inOrder) => {
		const old = rowsUntilNow(331);
		const wallet = openWallet(inOrder(old));
		await wallet.poll();
		wallet.list = inOrder([...added(500), ...old]);
		wallet.now = NOW + 2 * MINUTE_MS;
		wallet.pagesLeft = 4;
		const told = ids(await wallet.told());
		wallet.pagesLeft = Infinity;
		told.push(...ids(await wallet.told()), ...ids(await wallet.told()));
		expect(new Set(told).size).toBe(500);
		expect(told).toHaveLength(500);
	});

	it('still fails where nothing could be read, or where no row of a first look has a time', async () => {
		const wallet = openWallet(rowsUntilNow(200));
		wallet.failsFrom = { offset: 0, error: failure('unavailable') };
		await expect(wallet.poll()).rejects.toMatchObject({ code: 'unavailable' });
		const undated = openWallet(Array.from({ length: 300 }, (_, index) => row(`u${index}`)));
		undated.failsFrom = { offset: 150, error: failure('unavailable') };
		await expect(undated.poll()).rejects.toMatchObject({ code: 'unavailable' });
	});
});
