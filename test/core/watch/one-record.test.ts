/** What fails for one record is that record's. */
import { failure, HOUR_MS, MINUTE_MS, NOW, openWallet, row } from './service';

/** A wallet that knows some pending transactions, which then leave the list. */
async function withPending(count: number) {
	const pending = Array.from({ length: count }, (_, index) => row(`p${index}`, NOW - MINUTE_MS, 'pending'));
	const wallet = openWallet(pending);
	await wallet.poll();
	wallet.list = [];
	return wallet;
}

describe('a transaction that cannot be read', () => {
	it.each(['unavailable', 'rate_limited', 'unauthorized', 'timeout'] as const)(
		'stops no other one from being told, is named, and is tried again: %s',
		async (code) => {
			const wallet = await withPending(2);
			wallet.single = { p0: failure(code), p1: row('p1', NOW, 'completed') };
			wallet.list = [row('new', NOW)];
			const told = await wallet.told();
			expect(told).toContain('new:completed');
			expect(wallet.said).toEqual([expect.stringMatching(new RegExp(`p0.*It failed as ${code}`))]);
			told.push(...(await wallet.told()));
			expect(told).toContain('p1:completed');
			wallet.single = { p0: row('p0', NOW, 'failed') };
			told.push(...(await wallet.told()), ...(await wallet.told()));
			expect(told.toSorted()).toEqual(['new:completed', 'p0:failed', 'p1:completed']);
		},
	);

	it('keeps the turns of those that can be read, however many cannot', async () => {
		const wallet = await withPending(30);
		const broken = Array.from({ length: 25 }, (_, index) => [`p${index}`, failure('unavailable')] as const);
		wallet.single = { ...Object.fromEntries(broken), p29: row('p29', NOW, 'completed') };
		const told: string[] = [];
		for (let polls = 0; polls < 10; polls += 1) told.push(...(await wallet.told()));
		expect(told).toEqual(['p29:completed']);
	});

	it('costs few requests a poll while the service fails each of them', async () => {
		const wallet = await withPending(20);
		wallet.single = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, failure('unavailable')]));
		await wallet.poll();
		expect(wallet.reads.length).toBeLessThanOrEqual(3);
	});

	it('is asked for no more in a poll once the service asks for patience', async () => {
		const wallet = await withPending(5);
		wallet.single = Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`p${index}`, failure('rate_limited')]));
		await wallet.poll();
		expect(wallet.reads).toHaveLength(1);
	});
});

describe('a transaction that shows no id', () => {
	it('is named as one that nobody follows, and stops no other one', async () => {
		const wallet = openWallet();
		await wallet.poll();
		const { id: _, ...nameless } = row('a', NOW);
		wallet.list = [row('b', NOW), nameless];
		expect(await wallet.told()).toEqual(['b:completed']);
		expect(wallet.said).toEqual([expect.stringContaining('shows no id')]);
	});
});

describe('a transaction that the service does not find', () => {
	it('is given up after an hour, in words, and costs nothing from then on', async () => {
		const wallet = await withPending(25);
		for (let minute = 0; minute <= 70; minute += 10) {
			wallet.now = NOW + minute * MINUTE_MS;
			expect(await wallet.told()).toEqual([]);
		}
		expect(wallet.said.join(' ')).toMatch(/For an hour the service has not found transaction p.* and \d+ more/);
		const [reads, pages] = [wallet.reads.length, wallet.pages];
		await wallet.poll();
		expect([wallet.reads.length - reads, wallet.pages - pages]).toEqual([0, 1]);
		// A record that appears again after all is told.
		wallet.list = [row('p7', NOW - MINUTE_MS)];
		expect(await wallet.told()).toEqual(['p7:completed']);
	});

	it('is asked for until the hour is over, and for another hour once it was found again', async () => {
		const wallet = await withPending(1);
		await wallet.poll();
		wallet.now = NOW + HOUR_MS - 1;
		wallet.single = { p0: row('p0', NOW - MINUTE_MS, 'pending') };
		await wallet.poll();
		wallet.single = {};
		wallet.now = NOW + HOUR_MS + MINUTE_MS;
		await wallet.poll();
		wallet.now += HOUR_MS - 1;
		await wallet.poll();
		wallet.single = { p0: row('p0', NOW - MINUTE_MS) };
		expect(await wallet.told()).toEqual(['p0:completed']);
		expect(wallet.said).toEqual([]);
	});
});
