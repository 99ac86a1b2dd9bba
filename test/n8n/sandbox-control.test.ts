import { startWire } from '../support/wire';
import { answer, run } from './exchange';

const at = (operation: string, more = {}) => ({ resource: 'sandbox', operation, ...more });

describe('steering the sandbox from n8n', () => {
	it('the sandbox node is refused by name outside environment sandbox, and sends the token of the credential', async () => {
		const wire = await startWire();
		const service = { baseUrl: wire.url, wsUrl: wire.account.wsUrl };
		const { error } = await run(service as never, at('reset'), { credential: { environment: 'staging' } });
		expect(error?.message).toContain('only a sandbox can be steered');
		expect(wire.received).toEqual([]);
		wire.on('POST /_sandbox/reset', { status: 200, body: '{"done":true}' });
		await answer(service as never, at('reset'), { credential: { controlToken: 'control-token-of-tests' } });
		expect(wire.received[0]!.headers).toMatchObject({ authorization: 'Bearer control-token-of-tests' });
		await wire.close();
	});
});
