import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { run, answer } from './exchange';

describe('a simulated deposit', () => {
	let sandbox: Sandbox;

	beforeEach(async () => {
		sandbox = await startSandbox();
	});

	afterEach(async () => await sandbox.close());

	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	const deposit = {
		resource: 'simulation',
		operation: 'fiatDeposit',
		email: 'trader@sandbox.test',
		amount: '={{ $json.amount }}',
		currency: 'NGN',
	};

	const sent = () => sandbox.requests.filter(({ method, path }) => method === 'POST' && path.includes('/simulate/'));

	it('does not send a simulated deposit again on Retry On Fail when its reply was lost, and says so', async () => {
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'simulation.fiatDeposit', times: 3 });
		const made = await run(sandbox, deposit, { items: [{ amount: '50000.00' }], settings: retrying });
		expect(sent()).toHaveLength(1);
		expect(made.error).toMatchObject({ context: { data: { code: 'outcome_unknown' } } });
		expect(made.error?.message).toContain('this try sent nothing');
	});

	it('does not repeat a simulated deposit that was done because another item failed', async () => {
		sandbox.faults.arm({ kind: 'forbidden', operation: 'simulation.fiatDeposit', after: 1 });
		const items = [{ amount: '1.00' }, { amount: '2.00' }];
		expect((await run(sandbox, deposit, { items, settings: retrying })).status).toBe('success');
		expect(sent()).toHaveLength(3);
	});

	it('makes another simulated deposit for the next item and the next execution, whatever the amount', async () => {
		const items = [{ amount: '1.00' }, { amount: '1.00' }];
		for (let executions = 0; executions < 2; executions += 1) await run(sandbox, deposit, { items });
		expect(sent()).toHaveLength(4);
	});
});

const deposit = {
	resource: 'simulation',
	operation: 'fiatDeposit',
	email: 'trader@sandbox.test',
	amount: '77.00',
	currency: 'NGN',
};

describe('waiting in n8n until a transaction is settled', () => {
	let sandbox: Sandbox;
	beforeEach(async () => {
		sandbox = await startSandbox();
	});
	afterEach(async () => await sandbox.close());

	it.each(['completed', 'failed'] as const)(
		'waits for a transaction until it is %s, and says so',
		async (transactionOutcome) => {
			sandbox.exchange.apply({ kind: 'settings', settings: { transactionOutcome } });
			const { transaction } = await answer(sandbox, { ...deposit, options: { wait_settled: true } });
			expect(transaction).toMatchObject({ status: transactionOutcome, wait: { until: 'settled', reached: true } });
		},
	);

	it('stops waiting for a transaction at its deadline, and says that it was not reached', async () => {
		sandbox.exchange.apply({ kind: 'settings', settings: { settlementDelayMs: 3_600_000 } });
		const { transaction } = await answer(sandbox, { ...deposit, options: { wait_settled: true, wait_seconds: 1 } });
		expect(transaction).toMatchObject({ status: 'pending', wait: { reached: false, ended: 'time_limit' } });
	});
});
