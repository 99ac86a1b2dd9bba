import { account, call, node, openBench, payloadOf, tab, type Bench } from './flows';

describe('waiting in Node-RED until a transaction is settled', () => {
	let bench: Bench;
	const deposit = { operation: 'fiatDeposit', email: 'trader@sandbox.test', amount: '77.00', currency: 'NGN' };
	const deposited = async () => payloadOf(await call(bench.nodeRed, 'deposit')).transaction;

	beforeAll(async () => {
		bench = await openBench();
		const waiting = { wait_settled: 'true', wait_settledType: 'bool', wait_seconds: '2' };
		const flow = [tab, account(bench.sandbox), ...node('deposit', 'simulate-deposit', { ...deposit, ...waiting })];
		await bench.nodeRed.deploy(flow);
	});
	afterAll(async () => await bench.close());

	it('waits for a transaction until it failed, or until its deadline, and says which', async () => {
		const set = (settings: object) => bench.sandbox.exchange.apply({ kind: 'settings', settings });
		set({ transactionOutcome: 'failed' });
		expect(await deposited()).toMatchObject({ status: 'failed', wait: { until: 'settled', reached: true } });
		set({ settlementDelayMs: 3_600_000 });
		expect(await deposited()).toMatchObject({ status: 'pending', wait: { reached: false, ended: 'time_limit' } });
	});
});
