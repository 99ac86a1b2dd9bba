import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { run } from './exchange';

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

describe('a simulated deposit', () => {
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
