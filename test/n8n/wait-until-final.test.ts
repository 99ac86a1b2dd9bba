import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { answer } from './exchange';

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
