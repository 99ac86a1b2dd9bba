import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Account, type Client, type IntentJournal, type Recovery } from '@partner-exchange/core';
import { fileJournal, nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../../support/folder';
import { idleTime } from '../../support/idle-time';
import { ownerOf } from '../../../packages/core/src/orders/journal';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { forAll } from '../../support/opened';

describe('orders that a crash interrupted', () => {
	const sandbox = forAll(() => startSandbox());
	let folder: string;
	beforeEach(() => {
		sandbox.reset();
		folder = newFolder();
	});
	afterEach(() => sandbox.faults.disarm());

	const file = () => join(folder, 'orders.jsonl');
	/** A separate process: it reads the journal itself and remembers nothing. */
	const process = (journal: IntentJournal = fileJournal(file())) => quickClient(accountOf(sandbox), { journal });

	/** Sends an order and never receives the reply, as if the process were killed at that moment. */
	async function crashWhileSending(committed: boolean): Promise<void> {
		const journal = fileJournal(file());
		const forgets: IntentJournal = { ...journal, close: () => Promise.resolve() };
		sandbox.faults.arm({
			kind: committed ? 'commit-then-drop' : 'drop-before-commit',
			operation: 'order.create',
			times: 100,
		});
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 100 });
		await errorOf(process(forgets).order.create(resting, { intent: 'message 1' }));
		sandbox.faults.disarm();
		sandbox.requests.length = 0;
	}

	async function recovered(client: Client = process()): Promise<Recovery[]> {
		const recoveries: Recovery[] = [];
		for await (const recovery of client.recover()) recoveries.push(recovery);
		return recoveries;
	}

	it('says of an order that the process before had placed a moment ago that it was done before', async () => {
		const place = async (intent: string) => {
			const client = createClient(accountOf(sandbox), nodePorts(), { journal: fileJournal(file()) });
			return await client.order.create(resting, { intent });
		};
		const placed = await place('message 1');
		// The service forgets idempotency keys, so it would take the order for a new one.
		sandbox.exchange.apply({ kind: 'settings', settings: { keyRetentionMs: 0 } });
		expect(await place('message 1')).toMatchObject({ order_id: placed.order_id, repeated: true });
		expect([placed, await place('message 2')].map((each) => each.repeated)).toEqual([undefined, undefined]);
		expect(ordersIn(sandbox)).toHaveLength(2);
		// The sandbox has forgotten it, so this is another order.
		sandbox.reset();
		expect(await place('message 1')).not.toHaveProperty('repeated');
	});

	it('keeps an order open in the journal until the wait for its end is over', async () => {
		const journal = fileJournal(file());
		let open: Promise<unknown[]> | undefined;
		await process(journal).order.create(resting, {
			intent: 'message 1',
			options: { wait: 'final', wait_seconds: 1, fail_when: 'never' },
			progress: ({ doing }) => void (doing === 'waiting' && (open ??= journal.open())),
		});
		expect(await open).toHaveLength(1);
		expect(await journal.open()).toEqual([]);
	});

	it('writes an order to the disk, without the API key, before its first byte leaves', async () => {
		const journal = fileJournal(file());
		const stored: string[] = [];
		const spied: IntentJournal = {
			...journal,
			record: async (entry) => {
				await journal.record(entry);
				stored.push(await readFile(file(), 'utf8'));
				expect(createsIn(sandbox)).toHaveLength(0);
			},
		};
		await process(spied).order.create(resting, { intent: 'message 1' });
		expect(stored[0]).toContain('"quantity":"10.00"');
		expect(stored[0]).not.toContain('sandbox-key');
		expect(await recovered()).toEqual([]);
	});

	it('looks all interrupted orders up in shared readings, however many there are', async () => {
		const fields = { ...resting, idempotency_key: 'k', client_order_id: 'c' };
		const entries = Array.from({ length: 20 }, (_, at) => ({
			key: `key ${at}`,
			operation: 'order.create' as const,
			fields: { ...fields, client_order_id: `name ${at}` },
			at: 0,
			account: ownerOf(accountOf(sandbox)),
		}));
		const journal: IntentJournal = {
			record: () => Promise.resolve(),
			close: () => Promise.resolve(),
			open: () => Promise.resolve(entries),
		};
		const readsFor = async (count: number): Promise<number> => {
			entries.length = count;
			sandbox.requests.length = 0;
			const time = idleTime();
			const client = createClient(accountOf(sandbox), time.ports, { journal });
			expect(await time.during(recovered(client))).toHaveLength(count);
			return sandbox.requests.length;
		};
		const together = await readsFor(20);
		expect(together).toBeLessThan(4 * (await readsFor(1)));
	});

	it('keeps an interrupted order open while it is not found, and does not send it', async () => {
		await crashWhileSending(false);
		expect(await recovered()).toMatchObject([{ outcome: 'unknown', entry: { operation: 'order.create' } }]);
		expect(await recovered()).toHaveLength(1);
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it('reports a resolved order again when nobody came back after the report', async () => {
		await crashWhileSending(true);
		for await (const recovery of process().recover()) {
			expect(recovery.outcome).toBe('accepted');
			break;
		}
		expect(await recovered()).toHaveLength(1);
	});

	it('places an interrupted order after all when the earlier run certainly left nothing', async () => {
		await crashWhileSending(false);
		const item = await quickClient(accountOf(sandbox)).order.create(resting, { intent: 'message 1', repeated: true });
		expect(item).toMatchObject({ order_id: ordersIn(sandbox)[0]!.id });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('refuses an order that the journal cannot remember', async () => {
		const full: IntentJournal = {
			record: () => Promise.reject(new Error('ENOSPC')),
			close: () => Promise.resolve(),
			open: () => Promise.resolve([]),
		};
		const error = await errorOf(process(full).order.create(resting, { intent: 'message 1' }));
		expect(error).toMatchObject({ code: 'not_available' });
		expect(error.message).toContain('this run sent nothing');
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it.each<[string, Partial<IntentJournal>]>([
		['read', { open: () => Promise.reject(new Error('EIO')) }],
		['written', { record: () => Promise.reject(new Error('ENOSPC')) }],
	])(
		'leaves an order unknown when the journal cannot be %s and an earlier run may have sent it',
		async (verb, broken) => {
			await crashWhileSending(false);
			const journal: IntentJournal = { ...fileJournal(file()), ...broken };
			const error = await errorOf(process(journal).order.create(resting, { intent: 'message 1', repeated: true }));
			expect(error).toMatchObject({ code: 'outcome_unknown', details: { cause: 'not_available' } });
			expect(error.message).toContain('an earlier run may have sent it, and this run sent nothing');
			expect(error.message).toContain(`The journal of open orders cannot be ${verb}`);
			expect(createsIn(sandbox)).toHaveLength(0);
		},
	);

	describe('of an account whose address or key has changed', () => {
		const elsewhere = (changed: Partial<Account>) =>
			quickClient({ ...accountOf(sandbox), ...changed }, { journal: fileJournal(file()) });
		const resent = { intent: 'message 1', options: { check_market: false } };

		it('reports an open order of a changed account as such, keeps it unsent, and finds it once the account is back', async () => {
			await crashWhileSending(true);
			const other = await startSandbox();
			const { baseUrl, wsUrl } = other;
			const client = elsewhere({ baseUrl, wsUrl });
			expect(await recovered(client)).toMatchObject([
				{ outcome: 'elsewhere', entry: { account: { address: sandbox.baseUrl } } },
			]);
			expect((await client.stream.status({})).open_intents).toEqual([
				{ idempotency_key: expect.any(String), state: 'elsewhere' },
			]);
			const error = await errorOf(client.order.create(resting, resent));
			expect(error).toMatchObject({ code: 'outcome_unknown', details: { cause: 'invalid_account' } });
			expect(error.message).toContain(sandbox.baseUrl);
			expect(createsIn(other)).toHaveLength(0);
			await other.close();
			expect(await recovered()).toMatchObject([{ outcome: 'accepted', result: { id: ordersIn(sandbox)[0]!.id } }]);
		});

		it('does not call an open order undone under the key of another account', async () => {
			await crashWhileSending(true);
			const client = elsewhere({ apiKey: 'sandbox-key-second' });
			expect(await recovered(client)).toMatchObject([{ outcome: 'elsewhere' }]);
			expect(await recovered()).toMatchObject([{ outcome: 'accepted' }]);
		});

		it('finds an open order with a new key of the same account', async () => {
			await crashWhileSending(true);
			sandbox.exchange.apply({ kind: 'key', grant: { key: 'next-key' } });
			const client = elsewhere({ apiKey: 'next-key' });
			expect(await client.order.create(resting, resent)).toMatchObject({ repeated: true });
			expect(await recovered()).toEqual([]);
			expect(ordersIn(sandbox)).toHaveLength(1);
		});
	});
});
