import { runShard, type CrowdOptions } from './crowd';
import { peakOf, together, totalOf, type ShardCounts } from './report';

const ACCOUNTS = 60;

const options: CrowdOptions = {
	...{ accounts: ACCOUNTS, startMs: 20_000, steadyMs: 180_000, outageMs: 60_000, recoveryMs: 60_000 },
	...{ fillsPerHour: 60, seed: 7 },
};

describe('a crowd of accounts on one service', () => {
	let whole: ShardCounts;
	const phase = (name: string) => whole.phases.find((each) => each.name === name)!;

	beforeAll(async () => void (whole = await runShard(options, { from: 0, count: ACCOUNTS })));

	it('delivers every fill once, also those of an outage that ends for all at once', () => {
		expect(whole.made).toBeGreaterThan(2 * ACCOUNTS);
		expect(whole.delivered).toBe(whole.made);
		expect(whole.repeated).toBe(0);
	});

	it('keeps one connection for each account and reads each at most every twenty seconds while all is well', () => {
		const { connections, connects, reads, seconds } = phase('steady');
		expect(connections).toBe(ACCOUNTS);
		expect(totalOf(connects)).toBe(0);
		expect(totalOf(reads) / seconds).toBeLessThan(ACCOUNTS / 20);
	});

	it('comes back spread out and within a minute', () => {
		expect(whole.caughtUpMs).toBeLessThanOrEqual(60_000);
		expect(peakOf(phase('recovery').connects)).toBeLessThan(ACCOUNTS);
	});

	it('counts in shards exactly what it counts as a whole', async () => {
		const shards = [
			await runShard(options, { from: 0, count: 25 }),
			await runShard(options, { from: 25, count: ACCOUNTS - 25 }),
		];
		expect({ ...together(shards), heapBytes: 0 }).toEqual({ ...whole, heapBytes: 0 });
	});
});
