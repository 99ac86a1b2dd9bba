import { createClient, type CallContext, type Client, type Ports } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { untilSettled, withSettled } from '../../packages/core/src/client/settlement';
import { quickClock } from '../support/wire';

/** Waiting for a transaction means waiting until it is final, not until it is listed. */

let sandbox: Sandbox;
let client: Client;
const email = 'trader@sandbox.test';
const deposit = { email, amount: '50.00', currency: 'NGN' } as const;

/** The client's pauses advance the exchange's clock, so no test waits in real time. */
function clientOf({ baseUrl, wsUrl }: Sandbox): Client {
	const real = nodePorts();
	let elapsedMs = 0;
	const clock: Ports['clock'] = {
		...real.clock,
		elapsed: () => elapsedMs,
		after(delayMs, action) {
			const timer = setImmediate(() => {
				elapsedMs += delayMs;
				sandbox.advance(delayMs);
				action();
			});
			return () => clearImmediate(timer);
		},
	};
	return createClient({ environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' }, { ...real, clock });
}

beforeEach(async () => {
	sandbox = await startSandbox({ clock: 'virtual', settings: { settlementDelayMs: 20_000 } });
	client = clientOf(sandbox);
});
afterEach(async () => await sandbox.close());

it.each(['completed', 'failed', 'cancelled'] as const)('waits for a deposit until it is %s', async (outcome) => {
	sandbox.exchange.apply({ kind: 'settings', settings: { transactionOutcome: outcome } });
	const answer = await client.simulation.fiatDeposit(deposit, { options: { wait_settled: true } });
	const wait = { until: 'settled', reached: true, ended: 'reached' };
	expect(answer).toMatchObject({ status: outcome, wait, transaction: { status: outcome, wait } });
});

it.each([
	['simulation.fiatDeposit', deposit],
	['simulation.cryptoDeposit', { email, chain: 'TRON', asset: 'USDT', amount: '50.00' }],
	['simulation.fiatWithdrawal', { email, amount: '50.00', currency: 'NGN' }],
	['simulation.cryptoWithdrawal', { email, chain: 'TRON', asset: 'USDT', amount: '5.00' }],
] as const)('shows how %s ended on top of its answer, and not what it was at first', async (id, input) => {
	const first = (await client.call(id, input, { options: { read_back: true } })) as Record<string, unknown>;
	expect(first).toMatchObject({ status: 'pending', transaction: { status: 'pending' } });
	const settled = (await client.call(id, input, { options: { wait_settled: true } })) as Record<string, unknown>;
	expect(settled).toMatchObject({ status: 'completed', wait: { reached: true }, transaction: { status: 'completed' } });
});

it('waits for a transaction under its id, through failed reads', async () => {
	const done = (await client.simulation.fiatDeposit(deposit, { options: { read_back: true } })) as {
		transaction: { id: string; status: string };
	};
	expect(done.transaction.status).toBe('pending');
	sandbox.faults.arm({ kind: 'refuse', operation: 'transaction.get', after: 1, times: 3 });
	const read = await client.transaction.get(
		{ transaction_id: done.transaction.id },
		{ options: { wait_settled: true } },
	);
	expect(read).toMatchObject({ id: done.transaction.id, status: 'completed', wait: { reached: true } });
});

it('ends the wait at its deadline and says so', async () => {
	const { transaction } = (await client.simulation.fiatDeposit(deposit, {
		options: { wait_settled: true, wait_seconds: 5 },
	})) as { transaction: object };
	expect(transaction).toMatchObject({
		status: 'pending',
		wait: { until: 'settled', reached: false, ended: 'time_limit', waited_seconds: 5 },
	});
});

it('looks for the transaction no longer than it was told to wait, and says that it found none', async () => {
	const others = { ...deposit, email: 'second@sandbox.test' };
	const answer = await client.simulation.fiatDeposit(others, { options: { wait_settled: true, wait_seconds: 5 } });
	const wait = { until: 'settled', reached: false, ended: 'time_limit', waited_seconds: 5 };
	expect(answer).toMatchObject({ status: 'pending', transaction: null, wait });
});

describe('a transaction that is waited for', () => {
	/** Waits while the transaction returns these states in turn; the last one repeats. */
	async function waitWhile(readings: unknown[], options: CallContext['options'] = {}, signal?: AbortSignal) {
		const clock = quickClock();
		let reads = 0;
		const read = (id: string, input: unknown): Promise<unknown> => {
			expect([id, input]).toEqual(['transaction.get', { transaction_id: 't1' }]);
			const reading = readings[Math.min(reads, readings.length - 1)];
			reads += 1;
			return reading instanceof Error ? Promise.reject(reading) : Promise.resolve(reading);
		};
		const ports = { clock } as unknown as Ports;
		const deps = { context: { options, signal }, read, ports, startedAt: clock.elapsed() };
		const transaction = await untilSettled('t1', { id: 't1', status: 'pending' }, deps);
		return { ...transaction, wait: transaction.wait, waited: clock.waited };
	}
	const pending = { id: 't1', status: 'pending' };

	it('reads a transaction soon at first, then ever more seldom, and not beyond the deadline', async () => {
		const { waited, wait } = await waitWhile([pending], { wait_seconds: 100 });
		const pauses = waited.map((pause) => Math.round(pause));
		expect(pauses.slice(0, 4)).toEqual([250, 375, 563, 844]);
		expect(Math.max(...pauses)).toBe(15_000);
		expect(waited.reduce((sum, pause) => sum + pause, 0)).toBe(100_000);
		expect(wait).toEqual({ until: 'settled', reached: false, ended: 'time_limit', waited_seconds: 100 });
	});

	it('answers the transaction of the last read, through reads without one', async () => {
		const done = { id: 't1', status: 'completed', amount: '5.00' };
		expect(await waitWhile([new Error('simulated'), null, 'text', [], done])).toMatchObject({
			...done,
			wait: { reached: true, ended: 'reached' },
		});
		expect(await waitWhile([null], { wait_seconds: 1 })).toMatchObject({ ...pending, wait: { ended: 'time_limit' } });
	});

	it.each(['settling_slowly', 'constructor', undefined])('continues to wait while the status is %j', async (status) => {
		expect(await waitWhile([{ id: 't1', status }], { wait_seconds: 1 })).toMatchObject({
			wait: { reached: false, ended: 'time_limit' },
		});
	});

	it('rejects as stopped when the wait is stopped', async () => {
		expect(await waitWhile([pending], {}, AbortSignal.abort())).toMatchObject({
			...{ waited: [], wait: { reached: false, ended: 'stopped', waited_seconds: 0 } },
		});
	});

	it('says that the wait was in vain when a deposit shows no transaction', async () => {
		const clock = quickClock();
		const read = () => Promise.reject(new Error('nothing is to be read'));
		const startedAt = clock.elapsed() - 9_000;
		const deps = { context: {}, read, ports: { clock } as unknown as Ports, startedAt };
		for (const transaction of [null, undefined, 'text']) {
			const deposit = { status: 'pending', transaction };
			const wait = { until: 'settled', reached: false, ended: 'time_limit', waited_seconds: 9 };
			expect(await withSettled(deposit, deps)).toEqual({ ...deposit, wait });
		}
	});
});
