import { createClient, type Client, type Ports } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { forEach } from '../support/opened';

/** Waiting for a transaction means waiting until it is final, not until it is listed. */

const sandbox = forEach(() => startSandbox({ clock: 'virtual', settings: { settlementDelayMs: 20_000 } }));
const client = forEach(() => clientOf(sandbox));
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

it.each(['completed', 'failed', 'cancelled'] as const)('waits for a deposit until it is %s', async (outcome) => {
	sandbox.exchange.apply({ kind: 'settings', settings: { transactionOutcome: outcome } });
	const answer = await client.simulation.fiatDeposit(deposit, { options: { wait_settled: true } });
	const isWell = outcome === 'completed';
	const wait = { until: 'settled', reached: isWell, ended: isWell ? 'reached' : outcome };
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
