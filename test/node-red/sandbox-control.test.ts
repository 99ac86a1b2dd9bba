import { startWire } from '../support/wire';
import { account, call, KEY, node, openBench, payloadOf, tab, type Bench } from './flows';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' };
const steering = (operation: string, settings = {}) =>
	node(`node-${operation}`, 'sandbox', { operation, ...settings }, 1);

describe('steering the sandbox from Node-RED', () => {
	let bench: Bench;
	const steer = async (operation: string, payload = {}) =>
		payloadOf(await call(bench.nodeRed, `node-${operation}`, { payload }));

	beforeAll(async () => {
		bench = await openBench({ clock: 'virtual' });
	});
	afterAll(async () => await bench.close());

	it('the sandbox node arms a fault that the next order survives, plays a scenario, moves the clock and resets', async () => {
		const { sandbox, nodeRed } = bench;
		await nodeRed.deploy(
			[
				...[tab, account(sandbox), ...node('create', 'create-order', order)],
				...steering('armFault', { kind: 'commit-then-drop', operation_value: 'order.create' }),
				...[...steering('runScenario', { name_value: 'rejected-order' }), ...steering('moveClock')],
				...[...steering('get'), ...steering('reset')],
			],
			'full',
		);
		expect(await steer('armFault')).toMatchObject({ kind: 'commit-then-drop', operation: 'order.create', fired: 0 });
		const { order_id } = payloadOf(await call(nodeRed, 'create'));
		expect(sandbox.faults.fired).toMatchObject([{ kind: 'commit-then-drop' }]);
		expect([...sandbox.engine.state.orders.keys()]).toEqual([order_id]);
		expect(await steer('runScenario')).toEqual({ scenario: 'rejected-order' });
		const { now } = await steer('get');
		const moved = await steer('moveClock', { advance_ms: 60_000 });
		expect(Date.parse(String(moved.now)) - Date.parse(String(now))).toBe(60_000);
		await steer('reset');
		expect(sandbox.engine.state.orders.size).toBe(0);
	});

	it('the sandbox node is refused by name outside environment sandbox, and sends the token of the account', async () => {
		const wire = await startWire();
		wire.on('POST /_sandbox/reset', { status: 200, body: '{"done":true}' });
		const service = { baseUrl: wire.url, wsUrl: wire.account.wsUrl };
		const deploy = async (more: object) =>
			await bench.nodeRed.deploy([tab, account(service, { ...more }), ...steering('reset')], 'full');
		await deploy({ environment: 'staging' });
		const { error } = await call(bench.nodeRed, 'node-reset');
		expect(error).toMatchObject({
			code: 'not_available',
			message: expect.stringContaining('only a sandbox can be steered'),
		});
		expect(wire.received).toEqual([]);
		await deploy({ credentials: { apiKey: KEY, controlToken: 'control-token-of-tests' } });
		await steer('reset');
		expect(wire.received[0]!.headers).toMatchObject({ authorization: 'Bearer control-token-of-tests' });
		await wire.close();
	});
});
