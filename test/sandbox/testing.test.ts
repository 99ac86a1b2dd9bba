import { startSandbox as startAsShipped } from '../../packages/sandbox/src/sandbox';
import { useSandbox } from '../../packages/sandbox/src/testing';
import { readOptions } from '../../packages/sandbox/src/flags';
import { ask, create, limit } from './connection';

/** The API with which users build their own tests. */

describe('useSandbox', () => {
	const sandbox = useSandbox({ beforeAll, afterEach, afterAll }, { marketMaker: false });
	const orders = async () => (await ask(sandbox.sandbox, 'GET /partner/exchange/orders')).json.data!.count;

	it.each(['the first test', 'the next test'])('gives %s an exchange of its own, and its faults', async () => {
		expect(await orders()).toBe(0);
		sandbox.arm('commit-then-drop', 'order.create');
		await create(sandbox.sandbox, limit()).catch(() => undefined);
		await sandbox.waitFor(() => sandbox.fired().length === 1, 'the fault to strike');
		expect(sandbox.fired()).toMatchObject([{ kind: 'commit-then-drop', operation: 'order.create' }]);
		expect(await orders()).toBe(1);
	});

	it('plays scenarios, moves the clock, and shows the received requests', async () => {
		sandbox.play('failed-deposit');
		await sandbox.advance(60_000);
		const { json } = await ask(sandbox.sandbox, 'GET /partner/wallets/transactions', { key: sandbox.key });
		expect(json.data!.transactions![0]!.status).toBe('failed');
		expect(sandbox.sandbox.requests.map(({ path }) => path)).toEqual(['/v1/partner/wallets/transactions']);
		expect([sandbox.baseUrl, sandbox.wsUrl, sandbox.email]).toEqual([
			expect.stringMatching(/\/v1$/),
			expect.stringMatching(/\/v1\/ws$/),
			'trader@sandbox.test',
		]);
	});

	it('names the condition that did not come in time', async () => {
		await expect(sandbox.waitFor(() => false, 'a miracle', 30)).rejects.toThrow(
			'After 30 ms there was still not a miracle',
		);
	});
});

it('starts the market of the command with startSandbox', async () => {
	expect(readOptions([], {})).toMatchObject({ marketMaker: true });
	const sandbox = await startAsShipped();
	const { settings } = sandbox.engine.state;
	await sandbox.close();
	expect(settings.marketMaker).toBe('live');
});
