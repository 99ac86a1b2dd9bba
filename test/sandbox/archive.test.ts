import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startSandbox, type Sandbox, type SandboxOptions } from '@partner-exchange/sandbox';
import { openJournalFile } from '../../packages/sandbox/src/server/journal-file';
import { readState, writeState } from '../../packages/sandbox/src/server/journal';
import { ask, create, limit } from './connection';

/** Finished orders move from memory to the data file; no request can tell the difference. */

const ARCHIVES_MAX = 3;
const ORDERS = 40;
const RUN = '0000000000aa';

let folder: string;
let open: Sandbox[];
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'archive-'));
	open = [];
});
afterEach(async () => {
	for (const sandbox of open) await sandbox.close().catch(() => undefined);
	rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name = 'exchange.db'): string => join(folder, name);

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
	const sandbox = await startSandbox({
		clock: 'virtual',
		marketMaker: false,
		run: RUN,
		finishedKept: ARCHIVES_MAX,
		...options,
	});
	open.push(sandbox);
	return sandbox;
}

/** Orders of two accounts that fill, rest, are cancelled and are refused, each with its own idempotency key. */
async function trade(sandbox: Sandbox, from: number, to: number): Promise<void> {
	for (let index = from; index < to; index += 1) {
		const isSecond = index % 2 === 1;
		const fields = limit({
			side: isSecond ? 'sell' : 'buy',
			quantity: `${1 + (index % 5)}.00`,
			price: index % 7 === 0 ? '1400.00' : '1500.00',
			pair_id: index % 11 === 0 ? 'USDT/NGN' : 'USD/NGN',
			time_in_force: index % 6 === 0 ? 'IOC' : 'GTC',
		});
		const key = isSecond ? 'sandbox-key-second' : 'sandbox-key';
		await create(sandbox, fields, { key, headers: { 'idempotency-key': `key-${index}` } });
		sandbox.advance(10);
	}
	// The exchange has processed everything up to its clock, from which a restart continues.
	sandbox.exchange.catchUp();
}

const QUESTIONS = [
	'orders',
	'orders?limit=200',
	'orders?limit=4&offset=3',
	'orders?limit=5&offset=17',
	'orders?offset=500',
	'orders?status=filled&limit=3&offset=2',
	'orders?status=cancelled',
	'orders?status=accepted',
	'orders?pair_id=USDT%2FNGN',
	'orders?pair_id=USD%2FNGN&status=filled&limit=200',
	'fills',
	'fills?limit=3&offset=1',
	'fills?limit=7&offset=9',
	'fills?pair_id=USDT%2FNGN',
	'fills?offset=500',
];

/** All order and fill queries, by both accounts. */
async function answers(sandbox: Sandbox): Promise<string[]> {
	const matches: string[] = [];
	for (const key of ['sandbox-key', 'sandbox-key-second']) {
		for (const question of QUESTIONS)
			matches.push(`${question}: ${(await ask(sandbox, `GET /partner/exchange/${question}`, { key })).text}`);
		const { json } = await ask(sandbox, 'GET /partner/exchange/orders?limit=200', { key });
		for (const { id } of json.data!.orders as unknown as { id: string }[]) {
			matches.push((await ask(sandbox, `GET /partner/exchange/orders/${id}`, { key })).text);
			matches.push((await ask(sandbox, `GET /partner/exchange/fills?order_id=${id}`, { key })).text);
		}
	}
	return matches;
}

/** Two sandboxes: one moved its finished orders to disk, the other kept all of them in memory. */
async function both(dialect = {}): Promise<{ archived: Sandbox; whole: Sandbox }> {
	const whole = await start({ dialect });
	await trade(whole, 0, ORDERS);
	const first = await start({ data: fileOf(), dialect });
	await trade(first, 0, ORDERS / 2);
	await first.close();
	const second = await start({ data: fileOf(), dialect });
	await trade(second, ORDERS / 2, ORDERS);
	await second.close();
	return { archived: await start({ data: fileOf(), dialect }), whole };
}

describe('what is over', () => {
	it.each([{}, { count: 'total' }])(
		'answers archived orders and fills from the disk as it did from memory (%j)',
		async (dialect) => {
			const { archived, whole } = await both(dialect);
			expect(await answers(archived)).toEqual(await answers(whole));
			expect(archived.engine.state.closed.size).toBe(ARCHIVES_MAX);
			expect(whole.engine.state.closed.size).toBeGreaterThan(4 * ARCHIVES_MAX);
			for (const { fills, idempotency, orders } of archived.engine.state.accounts.values()) {
				expect(fills.length).toBeLessThanOrEqual(ARCHIVES_MAX);
				expect(idempotency.size).toBeLessThanOrEqual(ARCHIVES_MAX);
				for (const id of orders) expect(archived.engine.state.orders.has(id)).toBe(true);
			}
		},
	);

	it('keeps the idempotency key of an archived order, and refuses to cancel it by its status', async () => {
		const { archived, whole } = await both();
		const again = (sandbox: Sandbox) =>
			create(sandbox, limit({ quantity: '3.00', time_in_force: 'GTC' }), { headers: { 'idempotency-key': 'key-2' } });
		const [first, second] = [await again(archived), await again(whole)];
		expect([first.status, first.text]).toEqual([second.status, second.text]);
		expect(first.status).toBe(201);
		const other = await create(archived, limit({ quantity: '9.00' }), { headers: { 'idempotency-key': 'key-4' } });
		expect(other.json.error).toMatchObject({ code: 'idempotency_key_reused' });
		const filled = await ask(archived, 'GET /partner/exchange/orders?status=filled&limit=200');
		const oldest = (filled.json.data!.orders as unknown as { id: string; pair_id: string }[]).at(-1)!;
		expect(archived.engine.state.orders.has(oldest.id)).toBe(false);
		const cancel = { account: 'trader', order_id: oldest.id, pair_id: oldest.pair_id };
		expect(() =>
			archived.exchange.apply({
				...{ kind: 'order_cancel', accountId: cancel.account, key: 'cancel', fingerprint: '' },
				fields: cancel,
			}),
		).toThrow(/is filled and cannot be changed/);
	});

	it('repeats after a kill what was done since the last archiving', async () => {
		const { archived, whole } = await both();
		for (const sandbox of [archived, whole]) await trade(sandbox, ORDERS, 2 * ORDERS);
		for (const suffix of ['', '-wal', '-tip']) cpSync(fileOf() + suffix, fileOf('killed.db') + suffix);
		const restarted = await start({ data: fileOf('killed.db') });
		expect(await answers(restarted)).toEqual(await answers(whole));
	});

	it('loses the archive after a reset', async () => {
		const { archived } = await both();
		archived.reset();
		const { json } = await ask(archived, 'GET /partner/exchange/orders');
		expect(json.data).toMatchObject({ count: 0, orders: [] });
		await archived.close();
		const database = new DatabaseSync(fileOf());
		expect(database.prepare('SELECT COUNT(*) AS count FROM archived_orders').get()).toEqual({ count: 0 });
		database.close();
	});

	it('refuses to start when the archive is gone, and to read when it was changed', async () => {
		const { archived } = await both();
		await archived.close();
		for (const suffix of ['', '-tip']) cpSync(fileOf() + suffix, fileOf('gone.db') + suffix);
		const gone = new DatabaseSync(fileOf('gone.db'));
		gone.exec('DELETE FROM archived_fills WHERE number = 2');
		gone.close();
		await expect(start({ data: fileOf('gone.db') })).rejects.toThrow(/finished orders, fills and keys/);
		const changed = new DatabaseSync(fileOf());
		changed.exec("UPDATE archived_orders SET record = x'00' WHERE number = 1");
		const { id } = changed.prepare('SELECT id FROM archived_orders WHERE number = 1').get() as { id: string };
		changed.close();
		const failures: string[] = [];
		const sandbox = await start({ data: fileOf(), onStorageFailure: ({ message }) => failures.push(message) });
		expect((await ask(sandbox, `GET /partner/exchange/orders/${id}`)).status).toBe(500);
		expect(failures).toEqual([expect.stringMatching(/does not fit its checksum.* A copy of it is in/)]);
	});

	it.each([
		['does not add up', spoilBalance, /does not add up/],
		['cannot be written', refuseWrites, /no more of this/],
	])('leaves no alarm behind when a start is refused because the data file %s', async (_, spoil, reason) => {
		await (await start({ data: fileOf(), marketMaker: true })).close();
		spoil();
		const alarms = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
		const before = alarms();
		const refused = startSandbox({ data: fileOf() });
		await expect(refused).rejects.toThrow(reason);
		expect(alarms()).toBe(before);
	});

	function spoilBalance(): void {
		const saved = openJournalFile(fileOf());
		const state = readState(saved.load()!.state);
		state.accounts.get('trader')!.holdings.get('NGN')!.available += 1n;
		saved.save(writeState(state), state.now, { closed: true });
		saved.close();
	}
	function refuseWrites(): void {
		const database = new DatabaseSync(fileOf());
		database.exec(`CREATE TRIGGER full BEFORE INSERT ON saved BEGIN SELECT RAISE(ABORT, 'no more of this'); END`);
		database.close();
	}
});
