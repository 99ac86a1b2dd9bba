import { startSandbox } from '@partner-exchange/sandbox';
import { startWire } from '../support/wire';
import { answer, limitOrder, run } from './exchange';

const at = (operation: string, more = {}) => ({ resource: 'sandbox', operation, ...more });

describe('steering the sandbox from n8n', () => {
	it('the sandbox node arms a fault that the next order survives, plays a scenario, moves the clock and resets', async () => {
		const sandbox = await startSandbox({ clock: 'virtual' });
		const fault = { kind: 'commit-then-drop', options: { operation: 'order.create' } };
		expect(await answer(sandbox, at('armFault', fault))).toMatchObject({ kind: 'commit-then-drop', fired: 0 });
		const { order_id } = await answer(sandbox, limitOrder);
		expect(sandbox.faults.fired).toMatchObject([{ kind: 'commit-then-drop', operation: 'order.create' }]);
		expect([...sandbox.engine.state.orders.keys()]).toEqual([order_id]);
		expect(await answer(sandbox, at('runScenario', { name: 'rejected-order' }))).toEqual({
			scenario: 'rejected-order',
		});
		const before = await answer(sandbox, at('get'));
		const moved = await answer(sandbox, at('moveClock', { advance_ms: 60_000 }));
		expect(Date.parse(String(moved['now'])) - Date.parse(String(before['now']))).toBe(60_000);
		await answer(sandbox, at('reset'));
		expect(sandbox.engine.state.orders.size).toBe(0);
		await sandbox.close();
	});

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
