/** A list that cannot be read to its end. */
import { failure, MINUTE_MS, NOW, openWallet, row, rowsUntilNow, SECOND_MS } from './service';

const ids = (told: string[]): string[] => told.map((key) => key.split(':')[0]!);
/** New rows, one each ten milliseconds after now, the newest first. */
const added = (count: number) =>
	Array.from({ length: count }, (_, index) => row(`n${count - index}`, NOW + MINUTE_MS + (count - index) * 10));

describe('a list that cannot be read to its end', () => {
	it('ends where the service lets nobody read further back, in words, and what is new is told', async () => {
		const wallet = openWallet(rowsUntilNow(2_000));
		wallet.failsFrom = { offset: 500, error: failure('refused') };
		expect(await wallet.told()).toEqual([]);
		wallet.list = [row('new', NOW + SECOND_MS), ...wallet.list];
		wallet.now = NOW + MINUTE_MS;
		expect(ids(await wallet.told())).toEqual(['new']);
		expect(wallet.said[0]).toMatch(/not read to its end: It failed as refused, and the rest counts as old/);
	});

	it.each(['unavailable', 'rate_limited'] as const)(
		'fails the poll, and the next one tells all of it once: %s',
		async (code) => {
			const wallet = openWallet(rowsUntilNow(300));
			await wallet.poll();
			wallet.list = [...added(500), ...wallet.list];
			wallet.now = NOW + 2 * MINUTE_MS;
			wallet.failsFrom = { offset: 300, error: failure(code) };
			await expect(wallet.poll()).rejects.toMatchObject({ code });
			wallet.failsFrom = undefined;
			const told = [...ids(await wallet.told()), ...ids(await wallet.told())];
			expect(told).toHaveLength(500);
			expect(new Set(told).size).toBe(500);
		},
	);

	it('may ask four times again for each page, so that a long list is read by one poll', async () => {
		const wallet = openWallet(rowsUntilNow(300));
		await wallet.poll();
		expect(wallet.retries).toEqual(new Set([4]));
	});

	it('says where a list without times is longer than what it reads', async () => {
		const undated = (count: number) => Array.from({ length: count }, (_, index) => row(`u${index}`));
		const wallet = openWallet(undated(20_500));
		await wallet.poll();
		wallet.list = undated(20_501);
		expect(await wallet.poll()).toEqual([]);
		expect(wallet.said).toEqual(Array(2).fill(expect.stringMatching(/not read to its end: one poll reads 20000 rows/)));
	});
});
