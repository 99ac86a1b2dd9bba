/** What each look at a wallet tells, as a table over plain states. */
import type { Item, TransactionState } from '@partner-exchange/core';
import { changesSince, KEPT_MAX, LATE_MS_MAX } from '../../../packages/core/src/watch/transaction-log';
import { HOUR_MS, NOW, openWallet, row, SECOND_MS } from './service';

const DAY_MS = 24 * HOUR_MS;
/** Rows with these numbers, one each ten seconds. */
const rows = (from: number, to: number, status?: string): Item[] =>
	Array.from({ length: to - from + 1 }, (_, index) => row(from + index, NOW + (from + index) * 10 * SECOND_MS, status));
const undated = (from: number, to: number): Item[] =>
	Array.from({ length: to - from + 1 }, (_, index) => row(`u${from + index}`));

/** Looks one after another; the first only takes notes. The keys that each of the others tells. */
function tell(...looks: Item[][]): string[][] {
	let state: TransactionState | undefined;
	return looks
		.map((look) => {
			const after = changesSince(state, { rows: look, now: NOW });
			state = JSON.parse(JSON.stringify(after.state)) as TransactionState;
			return after.changes.map(({ id, status }) => `${id} ${status}`);
		})
		.slice(1);
}
const completed = (from: number, to: number): string[] => rows(from, to).map(({ id }) => `${String(id)} completed`);

describe('a look at the wallet', () => {
	const tomorrow = row('tomorrow', NOW + DAY_MS);
	it.each<[string, Item[][], string[][]]>([
		['takes a first look for old', [rows(1, 3), rows(1, 4)], [completed(4, 4)]],
		[
			'tells what comes after one that is dated tomorrow, however many',
			[[], [...rows(1, 900), tomorrow], rows(901, 2_500), rows(2_501, 2_503)],
			[[...completed(1, 900), 'tomorrow completed'], completed(901, 2_500), completed(2_501, 2_503)],
		],
		[
			'tells what comes after one that left the list',
			[rows(1, 900), rows(901, 901), [...rows(1, 900), ...rows(902, 2_500)], rows(2_501, 2_502)],
			[completed(901, 901), completed(902, 2_500), completed(2_501, 2_502)],
		],
		[
			'tells each of many without a time once, among as many that have one',
			[
				[...rows(1, 1_200), ...undated(1, 1_200)],
				[...rows(1, 1_201), ...undated(1, 1_201)],
				[...rows(1, 1_201), ...undated(1, 1_201)],
			],
			[['1201 completed', 'u1201 completed'], []],
		],
		[
			'takes a final status for final where a server lags behind',
			[[row(1, NOW, 'pending')], [row(1, NOW)], [row(1, NOW, 'pending')], [row(1, NOW)]],
			[['1 completed'], [], []],
		],
		[
			'tells another final status once, also where a server lags behind',
			[[row(1, NOW)], [row(1, NOW, 'failed')], [row(1, NOW)], [row(1, NOW, 'failed')]],
			[['1 failed'], [], []],
		],
		[
			'tells a status never heard of behind a final one, which may be a reversal',
			[[row(1, NOW)], [row(1, NOW, 'reversed')], [row(1, NOW)], [row(1, NOW, 'reversed')]],
			[['1 reversed'], [], []],
		],
		[
			'tells a deposit that the list shows late under its own time, behind many that are newer',
			[
				rows(1, 300),
				rows(301, 1_800),
				[row('late', NOW + 18_000 * SECOND_MS - LATE_MS_MAX + 10 * SECOND_MS), ...rows(1_799, 1_800)],
			],
			[completed(301, 1_800), ['late completed']],
		],
		[
			'tells the ends of all that were pending, however many',
			[rows(1, 1_500, 'pending'), rows(1_501, 3_500), rows(1, 1_500)],
			[completed(1_501, 3_500), completed(1, 1_500)],
		],
	])('%s', (_title, looks, reports) => {
		expect(tell(...looks)).toEqual(reports);
	});

	it('keeps the newest dated transactions up to its limit', () => {
		const { state } = changesSince(undefined, {
			...{ rows: Array.from({ length: KEPT_MAX + 5 }, (_, at) => row(at, NOW + at)), now: NOW },
		});
		expect(state.known).toHaveLength(KEPT_MAX);
		expect(state.known.some(([id]) => id === '4')).toBe(false);
		expect(state.forgottenUntil).toBeGreaterThan(NOW);
	});
});

describe('a poll', () => {
	it('reports that a list without times is longer than what it reads', async () => {
		const wallet = openWallet(undated(1, 20_500));
		await wallet.poll();
		wallet.list = undated(1, 20_501);
		expect(await wallet.poll()).toEqual([]);
		expect(wallet.said).toEqual(Array(2).fill(expect.stringMatching(/not read to its end: one poll reads 20000 rows/)));
	});

	it('reports what is new after a row that is dated tomorrow, in a list by insertion', async () => {
		const listed = (newest: number): Item[] =>
			[...rows(1, 200), row('tomorrow', NOW + DAY_MS), ...rows(201, newest)].toReversed();
		const wallet = openWallet(rows(1, 200).toReversed());
		await wallet.poll();
		const reports: unknown[] = [];
		for (let newest = 260; newest <= 2_000; newest += 60) {
			wallet.list = listed(newest);
			reports.push(...(await wallet.told()));
		}
		expect(reports).toHaveLength(1 + 1_800);
		expect(new Set(reports).size).toBe(reports.length);
	});
});
