import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { audit, startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { limit, create, eventsOf, listenTo, sandboxFor, subscribe } from './connection';
import { bundle, run } from './program';
import { until } from '../support/condition';

describe('a sandbox with a data file', () => {
	/** The sandbox is repeatedly killed while it works, on one data file. */

	const KILLS = 12;

	const KILL_AFTER_ANSWERS_MAX = 40;

	const AT_ONCE = 8;

	let folder: string;

	beforeEach(() => (folder = newFolder()));

	const started = (child: ChildProcess): Promise<string> =>
		new Promise((resolve, reject) => {
			let output = '';
			child.stdout?.on('data', (chunk) => {
				output += String(chunk);
				if (output.includes('\n')) resolve(output.trim());
			});
			child.stderr?.on('data', (chunk) => (output += String(chunk)));
			child.once('exit', () => reject(new Error(`The sandbox did not start: ${output}`)));
		});

	/** The acknowledged writes: the identifier in the response, by idempotency key. */
	type Promised = Map<string, string>;

	const post = (url: string, key: string, index: number): Promise<string> =>
		fetch(`${url}/partner/exchange/orders`, {
			method: 'POST',
			headers: { 'x-api-key': 'sandbox-key', 'idempotency-key': key, 'content-type': 'application/json' },
			body: JSON.stringify(
				limit({
					client_order_id: key,
					quantity: '0.10',
					// Most are cancelled at once, because nothing matches them.
					time_in_force: index % 4 === 0 ? 'GTC' : 'IOC',
					side: index % 3 === 0 ? 'sell' : 'buy',
					price: index % 3 === 0 ? '1501.00' : '1500.00',
				}),
			),
		}).then(async (response) => ((await response.json()) as { data: { order_id: string } }).data.order_id);

	/** Keeps several writers busy until this many writes are acknowledged, then kills the process. */
	async function killUnderLoad(child: ChildProcess, url: string, round: number, promised: Promised): Promise<string[]> {
		const unanswered: string[] = [];
		const answersMax = 1 + ((round * 7) % KILL_AFTER_ANSWERS_MAX);
		let [answers, index] = [0, 0];
		const gone = new Promise((resolve) => child.once('exit', resolve));
		async function write() {
			while (answers < answersMax) {
				const key = `${round}-${index++}`;
				try {
					promised.set(key, await post(url, key, index));
					if (++answers === answersMax) child.kill('SIGKILL');
				} catch {
					return void unanswered.push(key);
				}
			}
		}
		await Promise.all(Array.from({ length: AT_ONCE }, write));
		await gone;
		return unanswered;
	}

	interface Listed {
		id: string;
		client_order_id: string;
	}

	async function allOrders(url: string): Promise<Listed[]> {
		const all: Listed[] = [];
		for (;;) {
			const address = `${url}/partner/exchange/orders?limit=200&offset=${all.length}`;
			const response = await fetch(address, { headers: { 'x-api-key': 'sandbox-key' } });
			const { orders } = ((await response.json()) as { data: { orders: Listed[] } }).data;
			if (orders.length === 0) return all;
			all.push(...orders);
		}
	}

	it(`loses nothing it answered and doubles nothing when killed ${KILLS} times under load`, async () => {
		const program = bundle('test/sandbox/killed-sandbox.ts', join(folder, 'killed.cjs'));
		const file = join(folder, 'exchange.sqlite');
		const promised: Promised = new Map();
		for (let round = 0; round < KILLS; round++) {
			const child = run(program, [file]);
			const url = await started(child);
			const unanswered = await killUnderLoad(child, url, round, promised);
			if (round % 4 !== 0) continue;
			const again = run(program, [file]);
			const address = await started(again);
			for (const key of unanswered) promised.set(key, await post(address, key, Number(key.split('-')[1]) + 1));
			for (const key of [...promised.keys()].slice(-5))
				expect(await post(address, key, Number(key.split('-')[1]) + 1)).toBe(promised.get(key));
			again.kill('SIGKILL');
			await new Promise((resolve) => again.once('exit', resolve));
		}
		const sandbox = await startSandbox({ data: file, marketMaker: false });
		const { state } = sandbox.engine;
		const byKey = new Map<string, string[]>();
		for (const { id, client_order_id: key } of await allOrders(sandbox.baseUrl))
			byKey.set(key, [...(byKey.get(key) ?? []), id]);
		for (const [key, id] of promised) expect(byKey.get(key)).toEqual([id]);
		for (const ids of byKey.values()) expect(ids).toHaveLength(1);
		expect(audit(state)).toEqual([]);
		expect(state.openings).toBeGreaterThan(KILLS);
		await sandbox.close();
	});

	it('continues after a restart in a new epoch, with the virtual clock where it was', async () => {
		const file = join(folder, 'exchange.sqlite');
		const first = await startSandbox({ data: file, clock: 'virtual', marketMaker: true });
		await post(first.baseUrl, 'kept', 1);
		first.advance(5_000);
		const { epoch } = first.engine.events;
		await first.close();
		const second = await startSandbox({ data: file, clock: 'virtual', marketMaker: true });
		await expect(startSandbox({ data: file })).rejects.toThrow(/another sandbox is using it/);
		expect(second.engine.state.now).toBe(first.engine.state.now);
		expect(second.engine.state.accounts.get('trader')).toEqual(first.engine.state.accounts.get('trader'));
		expect(second.engine.state.markets.get('USD/NGN')?.trades).toEqual(
			first.engine.state.markets.get('USD/NGN')?.trades,
		);
		expect(second.engine.events.epoch).not.toBe(epoch);
		second.reset();
		await second.close();
		const third = await startSandbox({ data: file, clock: 'virtual' });
		expect(third.engine.state.accounts.get('trader')?.orders).toEqual([]);
		await third.close();
	});
});

describe('the stream of a sandbox with a data file', () => {
	it('sends nothing over the stream that the disk did not take', async () => {
		const folder = newFolder();
		const failures: Error[] = [];
		const sandbox = await sandboxFor({
			data: join(folder, 'exchange.sqlite'),
			onStorageFailure: (error) => failures.push(error),
		});
		const line = await listenTo(sandbox, 'sandbox-key');
		await subscribe(line, ['user.orders']);
		const { exec } = DatabaseSync.prototype;
		const full = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
			if (sql === 'COMMIT') throw new Error('database or disk is full');
			return exec.call(this, sql);
		});
		create(sandbox, limit()).catch(() => undefined);
		await until(() => failures.length > 0, { what: 'the disk to refuse' });
		full.mockRestore();
		line.send({ type: 'ping' });
		await line.hears(({ type }) => type === 'pong', 'what comes after it');
		expect(eventsOf(line, 'user.orders')).toEqual([]);
	});
});
