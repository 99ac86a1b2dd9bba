import { createClient, type Account } from '@partner-exchange/core';
import { operationIds, operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { faultKinds } from '../../packages/sandbox/src/server/faults';
import { scenarios } from '../../packages/sandbox/src/engine/scenarios';
import { accountOf, errorOf, ordersIn, quickClient } from '../support/placing';
import { failure, startWire, success, wireClient } from '../support/wire';
import { forEach } from '../support/opened';

const TOKEN = 'control-token-of-tests';
const controls = operationIds.filter((id) => operationOf(id).sandboxOnly);
const inputs: Partial<Record<OperationId, object>> = {
	'sandbox.armFault': { kind: 'refuse' },
	'sandbox.moveClock': { advance_ms: 1 },
	'sandbox.runScenario': { name: 'quiet-market' },
};
const call = (account: Account, id: OperationId, { send } = nodePorts()) =>
	createClient(account, { ...nodePorts(), send }).call(id, (inputs[id] ?? {}) as Record<string, unknown>);

describe('steering the sandbox through the client', () => {
	const sandbox = forEach(() => startSandbox({ clock: 'virtual' }));

	it('arms a fault that strikes once, and clears what is armed', async () => {
		const client = quickClient(accountOf(sandbox));
		await client.sandbox.armFault({ kind: 'commit-then-drop', operation: 'order.create', after: 1 });
		await client.sandbox.armFault({ kind: 'delay', delayMs: 5000, times: 3, topic: 'user.fills', retryAfter: '2' });
		expect(sandbox.faults.armed).toMatchObject([
			{ kind: 'commit-then-drop', operation: 'order.create', after: 1, times: 1 },
			{ kind: 'delay', delayMs: 5000, times: 3, topic: 'user.fills', retryAfter: '2' },
		]);
		expect(await client.sandbox.clearFaults({})).toEqual({ done: true });
		expect(sandbox.faults.armed).toEqual([]);
	});

	it('moves the clock, runs a scenario, reads the state and resets', async () => {
		const client = quickClient(accountOf(sandbox));
		const { now } = await client.sandbox.get({});
		const moved = await client.sandbox.moveClock({ advance_ms: 60_000 });
		expect(Date.parse(moved.now) - Date.parse(now)).toBe(60_000);
		await client.sandbox.runScenario({ name: 'rejected-order' });
		expect(ordersIn(sandbox)).toHaveLength(1);
		const { epoch } = sandbox.engine.events;
		expect(await client.sandbox.reset({})).toEqual({ done: true });
		expect(ordersIn(sandbox)).toEqual([]);
		expect((await client.sandbox.get({})).epoch).not.toBe(epoch);
	});

	it('offers every fault and every scenario there is', () => {
		const values = (id: OperationId, name: string) => operationOf(id).input[name]?.values;
		expect(values('sandbox.armFault', 'kind')).toEqual(Object.keys(faultKinds));
		expect(values('sandbox.runScenario', 'name')).toEqual(Object.keys(scenarios));
	});
});

describe('steering what is no sandbox', () => {
	it.each(controls)('refuses to steer another service by name before any request: %s', async (id) => {
		const elsewhere = { baseUrl: 'https://a.example/v1', wsUrl: 'wss://a.example/v1/ws', apiKey: 'k' };
		const here = { ...elsewhere, baseUrl: 'http://127.0.0.1:4999/v1', wsUrl: 'ws://127.0.0.1:4999/v1/ws' };
		const send = jest.fn(nodePorts().send);
		for (const account of [
			{ ...here, environment: 'staging' },
			{ ...elsewhere, environment: 'production' },
			{ ...elsewhere, environment: 'sandbox' },
		] as const)
			expect(await errorOf(call(account, id, { ...nodePorts(), send }))).toMatchObject({
				code: 'not_available',
				operation: `${operationOf(id).label} (${id})`,
				message: expect.stringContaining('nothing was sent'),
			});
		expect(send).not.toHaveBeenCalled();
	});
});

describe('the control token', () => {
	it('sends the control token to the control alone, and the key never', async () => {
		const wire = await startWire();
		const client = wireClient(wire, { controlToken: TOKEN });
		await client.sandbox.reset({}).catch(() => undefined);
		wire.on('GET /partner/exchange/markets', success({ markets: [] }));
		await client.call('market.list', {}).catch(() => undefined);
		const [control, ...others] = wire.received;
		expect(control).toMatchObject({
			method: 'POST',
			path: '/_sandbox/reset',
			headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
			body: '{}',
		});
		expect(control!.headers).not.toHaveProperty('x-api-key');
		expect(others.length).toBeGreaterThan(0);
		expect(JSON.stringify(others)).not.toContain(TOKEN);
		await wire.close();
	});

	it('hides the control token when the service repeats it', async () => {
		const wire = await startWire();
		wire.on('POST /_sandbox/reset', failure(401, { error: { code: 'no', message: `wrong token ${TOKEN}` } }));
		const error = await errorOf(wireClient(wire, { controlToken: TOKEN }).sandbox.reset({}));
		expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('Control Token') });
		expect(JSON.stringify(error) + error.message).not.toContain(TOKEN);
		await wire.close();
	});
});
