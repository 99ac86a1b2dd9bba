import { runCrowd, type CrowdReport } from './crowd';

const ACCOUNTS = 60;

describe('a crowd of accounts on one service', () => {
	let report: CrowdReport;
	const phase = (name: string) => report.phases.find((each) => each.name === name)!;

	beforeAll(async () => {
		report = await runCrowd({
			...{ accounts: ACCOUNTS, startMs: 20_000, steadyMs: 180_000, outageMs: 60_000 },
			...{ fillsPerHour: 60, seed: 7 },
		});
	});

	it('delivers every fill once, also those of an outage that ends for all at once', () => {
		expect(report.made).toBeGreaterThan(2 * ACCOUNTS);
		expect(report.delivered).toBe(report.made);
		expect(report.repeated).toBe(0);
	});

	it('keeps one connection for each account and reads each at most every twenty seconds while all is well', () => {
		expect(phase('steady').connections).toBe(ACCOUNTS);
		expect(phase('steady').connects.total).toBe(0);
		expect(phase('steady').reads.perSecond).toBeLessThan(ACCOUNTS / 20);
	});

	it('comes back spread out and within a minute', () => {
		expect(report.caughtUpMs).toBeGreaterThan(0);
		expect(report.caughtUpMs).toBeLessThanOrEqual(60_000);
		expect(phase('recovery').connects.peak).toBeLessThan(ACCOUNTS);
	});
});
