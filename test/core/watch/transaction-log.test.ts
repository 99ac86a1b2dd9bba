import { ExchangeError, pollTransactions, type Item } from '@partner-exchange/core';
import { KEPT_MAX } from '../../../packages/core/src/watch/transaction-log';

const MINUTE_MS = 60_000;
const BEGINS = Date.UTC(2026, 0, 1);
const timeOf = (id: number): number => BEGINS + id * MINUTE_MS;
/** What the service says of the time; no row of these tests is from later. */
const NOW = timeOf(1_200);
const dated = (id: number, status = 'completed', more: Item = {}): Item => ({
	...{ id: String(id), status, currency: 'NGN', rail: 'bank' },
	...{ created_at: new Date(timeOf(id)).toISOString(), ...more },
});
/** Newest first. */
const down = (from: number, to: number, status = 'completed'): Item[] =>
	Array.from({ length: from - to + 1 }, (_, index) => dated(from - index, status));

/** One poll of a list and of single records, with the requests it made. */
async function poll(
	list: Item[],
	value?: unknown,
	{ filters = {}, single = {} }: { filters?: object; single?: Record<string, unknown> } = {},
) {
	const requests: string[] = [];
	const signals: unknown[] = [];
	let rows = 0;
	const { signal } = new AbortController();
	const client = {
		now: () => NOW,
		page: async (_id: string, { offset = 0 }: Item, options: { signal?: AbortSignal } = {}): Promise<Item[]> => {
			await Promise.resolve();
			signals.push(options.signal);
			const page = list.slice(Number(offset), Number(offset) + 100);
			rows += page.length;
			return page;
		},
		call: async (operation: string, { transaction_id: id }: Item, options: { signal?: AbortSignal } = {}) => {
			await Promise.resolve();
			requests.push(id === undefined ? operation : String(id));
			signals.push(options.signal);
			const match = single[String(id ?? operation)] ?? new ExchangeError('not_found', { what: 'It is not there' });
			if (match instanceof ExchangeError) throw match;
			return match;
		},
	};
	const said: string[] = [];
	const { events, state } = await pollTransactions(client, value, filters, { signal, warn: (text) => said.push(text) });
	expect(new Set(signals)).toEqual(new Set([signal]));
	return { said, events, ids: events.map(({ transaction: { id } }) => id), state, requests, rows };
}
const stateOf = (earlier: unknown[], more: object = {}) => ({ version: 1, known: earlier, ...more });

describe('what polling transactions keeps', () => {
	it('keeps each transaction with its status and creation time, oldest first', async () => {
		const { state } = await poll([dated(2), dated(1, 'pending'), { ...dated(3), created_at: undefined }]);
		expect(state).toEqual({
			version: 1,
			known: [
				['3', 'completed', null],
				['1', 'pending', timeOf(1)],
				['2', 'completed', timeOf(2)],
			],
			forgottenUntil: timeOf(1_140),
		});
	});

	it('keeps fifty statuses of a transaction, behind which only a later time is news', async () => {
		let state: unknown = stateOf([['1', 'step 0', timeOf(1)]]);
		const keys: string[] = [];
		const tell = async (status: string, minute?: number): Promise<void> => {
			const changed = minute === undefined ? {} : { updated_at: new Date(timeOf(minute)).toISOString() };
			const polled = await poll([dated(1, status, changed)], state);
			state = JSON.parse(JSON.stringify(polled.state)) as unknown;
			keys.push(...polled.events.map(({ eventKey }) => eventKey));
		};
		for (let step = 1; step <= 50; step += 1) await tell(`step ${step}`, step);
		expect(keys).toHaveLength(50);
		await tell('step 51');
		for (let step = 0; step <= 52; step += 1) await tell(`step ${step}`, 100 + step);
		for (let step = 0; step <= 52; step += 1) await tell(`step ${step}`, 200 + step);
		expect(keys).toHaveLength(50 + 53 + 53);
		expect(new Set(keys).size).toBe(keys.length);
		expect(JSON.stringify(state).length).toBeLessThan(1_000);
	});

	it('keeps the newest thousand of a first poll, and counts older ones as known', async () => {
		const list = down(1_200, 1);
		const first = await poll(list);
		// Pages overlap by a few rows, and one more is asked for by status.
		expect(first.rows).toBe(1_200);
		expect(first.state).toMatchObject({ forgottenUntil: timeOf(1_200 - 60) });
		expect(first.state.known).toHaveLength(1_000);
		// The rows of the next page come first here.
		const second = await poll([...down(200, 1), ...down(1_200, 201)], first.state);
		expect([second.rows, second.ids]).toEqual([200, []]);
		expect(second.state.known).toHaveLength(1_000);
		expect(second.state.known.some(([id]) => id === '200')).toBe(false);
	});

	it('reads a list to its end at the first poll when it does not begin with the newest', async () => {
		const first = await poll(down(1_200, 1).reverse());
		expect(first.rows).toBeGreaterThanOrEqual(1_200);
		expect(first.state.known).toHaveLength(1_000);
	});

	it('keeps at most a thousand final transactions, and the creation time of the youngest forgotten one', async () => {
		const first = stateOf(down(1_000, 1).map(({ id }) => [id, 'completed', timeOf(Number(id))]));
		const second = await poll(down(1_300, 1), first);
		expect(second.ids).toHaveLength(300);
		expect(second.state.known).toHaveLength(1_000);
		expect(second.state).toMatchObject({ forgottenUntil: timeOf(300) });
	});

	it('keeps every open transaction and every one without a time, up to twenty thousand each', async () => {
		const many = (status: string, count: number) =>
			Array.from({ length: count }, (_, index) => [`${status}${index}`, status, null]);
		const { state, said } = await poll([dated(1)], stateOf([...many('pending', 1_500), ...many('completed', 1_500)]));
		expect([state.known.length, said]).toEqual([3_001, []]);
		const more = await poll(
			[dated(1)],
			stateOf([...many('pending', KEPT_MAX + 1), ...many('completed', KEPT_MAX + 2)]),
		);
		expect(more.state.known).toHaveLength(2 * KEPT_MAX + 1);
		expect(more.said).toEqual([expect.stringMatching(/More than 20000 transactions may still change or have no time/)]);
		expect(more.state).not.toHaveProperty('forgottenUntil');
	});

	it('keeps the newest of those with a time up to as many, however short ago they were', async () => {
		const earlier = Array.from({ length: KEPT_MAX + 5 }, (_, ago) => [String(ago), 'completed', NOW - ago]);
		const { state } = await poll([], stateOf(earlier));
		expect(state.known).toHaveLength(KEPT_MAX);
		expect(state.known.some(([id]) => id === String(KEPT_MAX))).toBe(false);
	});

	it('reports nothing older than what it forgot, but follows it while it is open', async () => {
		const before = stateOf([], { forgottenUntil: timeOf(5) });
		const first = await poll([dated(6), dated(5), dated(4, 'pending'), dated(3)], before);
		expect(first.ids).toEqual(['6']);
		expect(first.state.known.map(([id]) => id)).toEqual(['4', '6']);
		const second = await poll([dated(6), dated(5), dated(4, 'completed'), dated(3)], first.state);
		expect(second.events).toMatchObject([{ change: 'status', previous_status: 'pending', transaction: { id: '4' } }]);
		expect(second.events[0]).not.toHaveProperty('unexpected');
		expect((await poll([{ ...dated(1), created_at: undefined }], before)).ids).toEqual(['1']);
	});

	it.each([
		[[['1', 'completed', 'soon']]],
		[[['1', 'completed', timeOf(1), 'pending']]],
		[[['1', 'completed', timeOf(1), { before: [5] }]]],
		[[['1', 'completed', timeOf(1), { updatedAt: 'today' }]]],
		[[['1', 'pending', timeOf(1), { missingSince: null }]]],
		[[['1', 'pending', timeOf(1), { isLetGo: 'yes' }]]],
		[[['1', 'completed', timeOf(1), { before: 'pending' }]]],
		[[['1', 5]]],
		[[[1, 'completed']]],
		[['1']],
		[[{ 0: '1', 1: 'completed' }]],
		[[], { forgottenUntil: '9e15' }],
	])(
		'refuses the stored entries %j, because what a part of them says would be told again',
		async (earlier: unknown[], more: object = {}) => {
			await expect(poll([dated(1)], stateOf(earlier, more))).rejects.toMatchObject({ field: 'state' });
		},
	);

	it.each([[[['1', 'completed']]], [[['1', 'completed', null, { before: ['pending'] }]]]])(
		'reads the stored entries %j',
		async (earlier) => expect((await poll([dated(1)], stateOf(earlier))).ids).toEqual([]),
	);
});

describe('what polling transactions reads', () => {
	it('ignores rows without an identifier, and knows a transaction by either name', async () => {
		const rows = [
			{ ...dated(1), id: undefined },
			{ ...dated(2), id: undefined, transaction_id: '2' },
		];
		const { state, events } = await poll(rows, stateOf([]));
		expect(state.known.map(([id]) => id)).toEqual(['2']);
		expect(events).toHaveLength(1);
	});

	it('reports transactions by creation time, whatever the order of the list, undated ones first', async () => {
		const undated = { ...dated(9), created_at: undefined };
		expect((await poll([dated(2), dated(4), undated, dated(1), dated(3)], stateOf([]))).ids).toEqual([
			'9',
			'1',
			'2',
			'3',
			'4',
		]);
		expect((await poll([dated(1), undated, dated(2)], stateOf([]))).ids).toEqual(['9', '1', '2']);
	});

	it.each(['created_at', 'timestamp', 'date', 'time'])('dates a transaction by %s', async (name) => {
		const row = { ...dated(1), created_at: undefined, [name]: new Date(timeOf(1)).toISOString() };
		expect((await poll([row])).state.known).toEqual([['1', 'completed', timeOf(1)]]);
	});

	it('reads twenty open transactions that left the list at a time, in turns', async () => {
		const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `t${from + index}`);
		const open = (count: number) => stateOf(ids(0, count).map((id) => [id, 'pending']));
		expect((await poll([], open(3))).requests).toEqual(ids(0, 3));
		expect((await poll([], open(20))).requests).toEqual(ids(0, 20));
		const first = await poll([], open(25));
		expect(first.requests).toEqual(ids(0, 20));
		const second = await poll([], first.state);
		expect(second.requests).toEqual([...ids(20, 25), ...ids(0, 15)]);
		expect((await poll([], second.state)).requests).toEqual([...ids(15, 25), ...ids(0, 10)]);
	});

	it('reads the list for more than twenty open transactions', async () => {
		const open = (count: number) => down(count, 1, 'pending').map(({ id }) => [id, 'pending', timeOf(Number(id))]);
		const newer = down(1_000, 400);
		const settled = newer.map(({ id }) => [id, 'completed', timeOf(Number(id))]);
		const list = [...newer, ...down(300, 1), ...down(0, -300)];
		expect((await poll(list, stateOf([...open(20), ...settled]))).rows).toBeLessThanOrEqual(200);
		expect((await poll(list, stateOf([...open(21), ...settled]))).rows).toBeGreaterThan(800);
	});

	it.each([
		['bare', { id: 'other', status: 'completed' }],
		['under its name', { transaction: { id: 'other', status: 'completed' } }],
	])('accepts a transaction answered %s', async (_, answer) => {
		const { events } = await poll([], stateOf([['1', 'pending']]), { single: { 1: answer } });
		expect(events).toMatchObject([{ eventKey: 'transaction:1:completed:', transaction: { id: '1' } }]);
	});

	it.each<[string, unknown]>([
		['not found', new ExchangeError('not_found', { what: 'It is not there' })],
		['refused', new ExchangeError('refused', { what: 'It was refused' })],
		['of another form', new ExchangeError('invalid_input', { what: 'It is no identifier' })],
		['no record', 'gone'],
	])('reads a transaction again whose answer is %s', async (_, answer) => {
		const { events, state } = await poll([], stateOf([['1', 'pending']]), { single: { 1: answer } });
		expect([events, state.known]).toMatchObject([[], [['1', 'pending', null, { missingSince: NOW }]]]);
	});

	it('gives a transaction without a status a status', async () => {
		const { state } = await poll([{ ...dated(1), status: undefined }]);
		expect(state.known).toEqual([['1', 'unknown', timeOf(1)]]);
	});
});

describe('what polling transactions tells', () => {
	const rows = [
		dated(1, 'completed', { currency: 'NGN', rail: 'bank', settlement_rail: 'USDT' }),
		dated(2, 'pending', { currency: 'usd', rail: 'tron', settlement_rail: undefined }),
		dated(3, 'failed', { currency: undefined, rail: undefined }),
		dated(4, 'Canceled', { currency: 'EUR', rail: 'card' }),
		dated(5, 'on_hold', { currency: 'EUR', rail: 'card' }),
	];

	it.each<[object, string[]]>([
		[{}, ['1', '2', '3', '4', '5']],
		[{ statuses: [], currencies: [], rails: [] }, ['1', '2', '3', '4', '5']],
		[{ statuses: ['pending'] }, ['2']],
		[{ currencies: ['ngn'] }, ['1', '3']],
		[{ currencies: ['USD'] }, ['2', '3']],
		[{ rails: ['bank'] }, ['1', '3']],
		[{ rails: ['USDT', 'tron'] }, ['1', '2', '3']],
		[{ statuses: ['pending', 'failed'], currencies: ['NGN'] }, ['3']],
		[{ statuses: ['completed'], rails: ['tron'] }, []],
		[{ statuses: ['cancelled'] }, ['4']],
		[{ statuses: ['On Hold'] }, ['5']],
	])('reports with the filters %j the transactions %j', async (filters, ids) => {
		expect((await poll(rows, stateOf([]), { filters })).ids).toEqual(ids);
	});

	it('refuses an unknown currency at the first poll, and does not check it again', async () => {
		const filters = { currencies: ['NGM'] };
		const listed = await poll(rows, undefined, { filters: { currencies: ['NGN'] } });
		expect(listed.requests).toHaveLength(1);
		const stored = { [listed.requests[0]!]: { currencies: [{ code: 'NGN', currency: 'NGN' }] } };
		await expect(poll(rows, undefined, { filters, single: stored })).rejects.toMatchObject({ field: 'currency' });
		expect((await poll(rows, stateOf([]), { filters, single: stored })).requests).toEqual([]);
	});

	it('reports a change as unexpected only after a final status', async () => {
		const before = stateOf([
			['1', 'pending'],
			['2', 'completed'],
		]);
		const { events } = await poll([dated(1), dated(2, 'failed'), dated(3)], before);
		expect(events.map(({ unexpected, change }) => [change, unexpected])).toEqual([
			['status', undefined],
			['status', true],
			['new', undefined],
		]);
	});
});
