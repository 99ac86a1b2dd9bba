import { startWire } from '../support/wire';
import { account, call, KEY, node, payloadOf, tab } from './flows';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

const steering = (operation: string, settings = {}) =>
	node(`node-${operation}`, 'sandbox', { operation, ...settings }, 1);

describe('steering the sandbox from Node-RED', () => {
	const bench = forAll(() => openCommonBench({ clock: 'virtual' }));
	const steer = async (operation: string, payload = {}) =>
		payloadOf(await call(bench.nodeRed, `node-${operation}`, { payload }));

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
