import { createClient, type Client, type Ports } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';

/** Waiting for a transaction means waiting until it is over, not until it appears. */

let sandbox: Sandbox;
let client: Client;
const email = 'trader@sandbox.test';
const deposit = { email, amount: '50.00', currency: 'NGN' } as const;

/** The client's pauses move the exchange's clock, so nothing waits for real time. */
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

it.each(['completed', 'failed', 'cancelled'] as const)('a deposit is waited for until it is %s', async (outcome) => {
	sandbox.exchange.apply({ kind: 'settings', settings: { transactionOutcome: outcome } });
	const { transaction } = (await client.simulation.fiatDeposit(deposit, { options: { wait_settled: true } })) as {
		transaction: object;
	};
	expect(transaction).toMatchObject({ status: outcome, wait: { until: 'settled', reached: true, ended: 'reached' } });
});

it('a transaction that is read is waited for under its id, through readings that fail', async () => {
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

it('the wait ends at its deadline and says so', async () => {
	const { transaction } = (await client.simulation.fiatDeposit(deposit, {
		options: { wait_settled: true, wait_seconds: 5 },
	})) as { transaction: object };
	expect(transaction).toMatchObject({
		status: 'pending',
		wait: { until: 'settled', reached: false, ended: 'time_limit', waited_seconds: 5 },
	});
});
