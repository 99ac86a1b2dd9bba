/** An answer older than the last one changes nothing. */
import { HOUR_MS, MINUTE_MS, NOW, openWallet, row, rowsUntilNow, SECOND_MS } from './service';

const at = (seconds: number): string => new Date(NOW + seconds * SECOND_MS).toISOString();
/** What is told of one transaction whose answers show these statuses, changed at these seconds. */
async function tell(first: string, answers: readonly (readonly [status: string, changed?: number])[]) {
	const wallet = openWallet([row('1', NOW, first, { updated_at: at(0) })]);
	await wallet.poll();
	const told: string[] = [];
	for (const [status, changed] of answers) {
		wallet.list = [row('1', NOW, status, changed === undefined ? {} : { updated_at: at(changed) })];
		told.push(...(await wallet.told()).map((key) => key.replace('1:', '')));
	}
	return told;
}

describe('a transaction in an answer older than the last one', () => {
	it.each<[string, string, [string, number?][], string[]]>([
		[
			'does not lose its status',
			'pending',
			[
				['processing', 5],
				['pending', 0],
				['processing', 5],
				['completed', 9],
			],
			['processing', 'completed'],
		],
		[
			'keeps its status without times',
			'pending',
			[['processing'], ['pending'], ['processing'], ['completed']],
			['processing', 'completed'],
		],
		['keeps its status where a row shows none', 'completed', [[''], [' ', 9], ['completed', 9]], []],
		[
			'keeps also a status that the interface does not list',
			'pending',
			[
				['on_hold', 7],
				['reviewing', 5],
				['on_hold', 7],
			],
			['on_hold'],
		],
		[
			'does not come back to life after its end',
			'pending',
			[
				['failed', 7],
				['completed', 5],
				['pending', 8],
			],
			['failed'],
		],
		['ends otherwise once, however often', 'completed', [['failed'], ['completed'], ['failed']], ['failed']],
		[
			'is reversed once, in a word never heard of',
			'completed',
			[['reversed'], ['completed'], ['reversed']],
			['reversed'],
		],
		[
			'has ended, though the end bears an earlier time',
			'pending',
			[
				['processing', 7],
				['completed', 5],
			],
			['processing', 'completed'],
		],
		[
			'goes back where a later time says so',
			'pending',
			[
				['on_hold', 5],
				['pending', 9],
			],
			['on_hold', `pending:${NOW + 9_000}`],
		],
	])('%s', async (_title, first, answers, told) => {
		expect(await tell(first, answers)).toEqual(told);
	});

	it('is told each time it is reversed, and comes back', async () => {
		const answers = [
			['reversed', 1],
			['completed', 2],
			['reversed', 3],
		] as const;
		expect(await tell('completed', answers)).toEqual([
			'reversed',
			`completed:${NOW + 2_000}`,
			`reversed:${NOW + 3_000}`,
		]);
	});

	it('has its end told, though all its times are of one second', async () => {
		const answers = [
			['on_hold', 0],
			['pending', 0],
			['completed', 0],
		] as const;
		expect(await tell('pending', answers)).toEqual(['on_hold', 'completed']);
	});

	it('is the same whatever letters its status is written in', async () => {
		const answers = [['PENDING'], ['Completed'], ['completed'], [' COMPLETED '], ['Pending']] as const;
		expect(await tell('pending', answers)).toEqual(['completed']);
		expect(await tell('pending', [['canceled'], ['Cancelled'], ['CANCELED']])).toEqual(['cancelled']);
		const wallet = openWallet([row('1', NOW, 'Completed')]);
		await wallet.poll();
		wallet.list = [row('2', NOW + SECOND_MS, 'COMPLETED'), row('1', NOW, 'completed')];
		expect(await wallet.told({ statuses: ['Completed'] })).toEqual(['2:completed']);
	});

	it('never has a key of before, however often it comes back to a status', async () => {
		const answers = Array.from(
			{ length: 40 },
			(_, turn) => [turn % 2 === 0 ? 'on_hold' : 'pending', turn + 1] as const,
		);
		const told = await tell('pending', answers);
		expect(told).toHaveLength(40);
		expect(new Set(told).size).toBe(40);
	});
});

describe('a first look at a list that is not whole', () => {
	const dayOld = Array.from({ length: 200 }, (_, index) => row(`d${index}`, NOW - 24 * HOUR_MS - index * MINUTE_MS));

	it('takes what is older than it by more than an hour for old, whenever it appears', async () => {
		const wallet = openWallet([]);
		await wallet.poll();
		wallet.list = [row('new', NOW + SECOND_MS), ...dayOld];
		expect(await wallet.told()).toEqual(['new:completed']);
		expect(wallet.said).toEqual([expect.stringMatching(/^Transaction d.* and \d+ more counts as old/)]);
	});

	it('takes them for old though its first answer showed none, and the replies of the service bear no date', async () => {
		for (const listed of [0, 2]) {
			const wallet = openWallet(dayOld.slice(0, listed));
			await wallet.poll();
			wallet.list = [row('new', NOW + SECOND_MS), ...dayOld];
			expect(await wallet.told()).toEqual(['new:completed']);
		}
	});

	it('takes the year 1 for no time, so that what is dated so is told', async () => {
		const wallet = openWallet([]);
		await wallet.poll();
		wallet.list = [
			{ ...row('a'), created_at: '0001-01-01T00:00:00Z' },
			{ ...row('b'), created_at: 0 },
		];
		expect((await wallet.told()).toSorted()).toEqual(['a:completed', 'b:completed']);
	});

	it('says where the rows are dated by another clock, so that nothing would be told', async () => {
		const twoHoursBehind = (minute: number) => NOW - 2 * HOUR_MS + minute * MINUTE_MS;
		const wallet = openWallet(Array.from({ length: 20 }, (_, index) => row(`r${index}`, twoHoursBehind(-index))));
		await wallet.poll();
		wallet.list = [row('paid', twoHoursBehind(1)), ...wallet.list];
		expect(await wallet.told()).toEqual([]);
		expect(wallet.said).toEqual([
			expect.stringMatching(/^Transaction paid counts as old.*by the clock of the service/),
		]);
	});

	it('tells nothing as new of a part of the list that was away at the first poll and is old', async () => {
		const crypto = dayOld.slice(0, 100).map((each) => ({ ...each, id: `c${String(each.id)}` }));
		const fiat = [row('f', NOW - 48 * HOUR_MS)];
		const wallet = openWallet(fiat);
		await wallet.poll();
		wallet.list = [...crypto, ...fiat];
		expect(await wallet.told()).toEqual([]);
	});

	it('tells a deposit that is listed 54 minutes late, right after it', async () => {
		const wallet = openWallet(
			Array.from({ length: 3_000 }, (_, index) => row(`r${index}`, NOW - index * 2 * SECOND_MS)),
		);
		await wallet.poll();
		const late = row('late', NOW - 54 * MINUTE_MS);
		wallet.list = wallet.list.toSpliced(1_620, 0, late);
		wallet.now = NOW + MINUTE_MS;
		const told: string[] = [];
		for (let polls = 0; polls < 10; polls += 1) told.push(...(await wallet.told()));
		expect(told).toEqual(['late:completed']);
	});

	it('tells nothing again that was away for a look, and all that came meanwhile', async () => {
		const before = rowsUntilNow(900);
		const wallet = openWallet(before);
		await wallet.poll();
		const [one, ...more] = Array.from({ length: 1_600 }, (_, index) => row(`n${index}`, NOW + (index + 1) * SECOND_MS));
		wallet.list = [one!];
		expect(await wallet.told()).toEqual(['n0:completed']);
		wallet.list = [...more.toReversed(), ...before];
		expect(await wallet.told()).toEqual(more.map(({ id }) => `${String(id)}:completed`));
	});

	it('tells what is new behind a row that is dated tomorrow, in a list by insertion', async () => {
		const old = rowsUntilNow(200);
		const wallet = openWallet(old);
		await wallet.poll();
		const tomorrow = row('tomorrow', NOW + 24 * HOUR_MS);
		const told: string[] = [];
		for (let newest = 60; newest <= 1_800; newest += 60) {
			const later = Array.from({ length: newest }, (_, index) => row(`n${index}`, NOW + (index + 1) * SECOND_MS));
			wallet.list = [...later.toReversed(), tomorrow, ...old];
			told.push(...(await wallet.told()));
		}
		expect(told).toHaveLength(1 + 1_800);
		expect(new Set(told).size).toBe(told.length);
	});

	it('knows the open ones behind what it reads, and tells their end', async () => {
		const old = Array.from({ length: 3_000 }, (_, index) => row(`r${index}`, NOW - index * MINUTE_MS));
		const wallet = openWallet([
			...old.slice(0, 2_500),
			row('p', NOW - 2_500 * MINUTE_MS, 'pending'),
			...old.slice(2_500),
		]);
		await wallet.poll();
		wallet.list = wallet.list.map((each) => (each.id === 'p' ? row('p', NOW - 2_500 * MINUTE_MS) : each));
		wallet.single = { p: row('p', NOW - 2_500 * MINUTE_MS) };
		expect(await wallet.told()).toEqual(['p:completed']);
	});

	it('reads no more for them than a page where the service does not filter by status', async () => {
		const wallet = openWallet(Array.from({ length: 3_000 }, (_, index) => row(`r${index}`, NOW - index * MINUTE_MS)));
		wallet.filters = false;
		await wallet.poll();
		expect(wallet.pages).toBeLessThanOrEqual(13);
	});
});
