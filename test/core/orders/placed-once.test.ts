import { createAccountMemory, createClient, TransportError } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { quickClock } from '../../support/wire';
import { forAll } from '../../support/opened';

describe('an order placed against a sandbox that has bad days', () => {
	const sandbox = forAll(() => startSandbox());
	beforeEach(() => sandbox.reset());
	afterEach(() => sandbox.faults.disarm());

	const client = (extras = {}) => quickClient(accountOf(sandbox), extras);
	const sent = () => createsIn(sandbox).map(({ headers, body }) => `${headers['idempotency-key']} ${body}`);
	const arm = (kind: Parameters<Sandbox['faults']['arm']>[0]['kind'], more = {}) =>
		sandbox.faults.arm({ kind, operation: 'order.create', ...more });

	it('passes on what the service answered to an order and claims no more than pending', async () => {
		const item = await client().order.create(resting, { intent: 'a' });
		expect(item).toMatchObject({ order_id: ordersIn(sandbox)[0]!.id, status: 'pending' });
		expect(item).not.toHaveProperty('filled_quantity');
	});

	it('derives a client order ID where it gets no other, and keeps another byte for byte', async () => {
		const derived = await client().order.create(resting, { intent: 'a' });
		expect(derived).toMatchObject({ client_order_id: ordersIn(sandbox)[0]!.clientOrderId });
		const options = await client().order.create({ ...resting, client_order_id: 'Invoice 7/a' }, { intent: 'b' });
		expect(options).toMatchObject({ client_order_id: 'Invoice 7/a' });
		expect(ordersIn(sandbox)[1]!.clientOrderId).toBe('Invoice 7/a');
	});

	it("keeps the identity of an order when a person corrects the account's label or changes its key", async () => {
		sandbox.exchange.apply({ kind: 'key', grant: { key: 'another-key' } });
		for (const [environment, apiKey] of [
			['sandbox', 'sandbox-key'],
			['staging', 'sandbox-key'],
			['sandbox', 'another-key'],
		] as const) {
			const labelled = quickClient({ ...accountOf(sandbox), environment, apiKey });
			await labelled.order.create(resting, { intent: 'a' });
		}
		expect(sent()).toHaveLength(3);
		expect(new Set(sent()).size).toBe(1);
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('sends one idempotency key in header and body alike, whoever chose it', async () => {
		await client().order.create(resting, { intent: 'a' });
		await client().order.create({ ...resting, idempotency_key: 'my-key' }, { intent: 'b' });
		const keys = createsIn(sandbox).map(({ headers, body }) => [
			headers['idempotency-key'],
			(JSON.parse(body) as { idempotency_key: string }).idempotency_key,
		]);
		for (const [header, body] of keys) expect(body).toBe(header);
		expect(keys[1]).toEqual(['my-key', 'my-key']);
	});

	it.each([
		'drop-before-commit',
		'commit-then-drop',
		'truncate',
		'server-error',
		'html-502',
		'commit-then-502',
		'refuse',
	] as const)('retries an order with the same bytes and key after %s, and one order exists', async (kind) => {
		arm(kind, { times: 2 });
		const item = await client().order.create(resting, { intent: 'a' });
		expect(ordersIn(sandbox)).toHaveLength(1);
		expect(item).toMatchObject({ order_id: ordersIn(sandbox)[0]!.id });
		expect(new Set(sent()).size).toBe(1);
	});

	it('resolves an unknown order by its client order ID, found or not', async () => {
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 100 });
		arm('commit-then-drop', { times: 100 });
		const error = await errorOf(client().order.create(resting, { intent: 'a' }));
		expect(error.code).toBe('outcome_unknown');
		sandbox.faults.disarm();
		const stored = await client().order.resolve({ client_order_id: String(error.details.client_order_id) });
		expect(stored).toMatchObject({ outcome: 'accepted', order: { id: ordersIn(sandbox)[0]!.id } });
		const nobody = { client_order_id: 'never-sent', order: null };
		const now = await client().order.resolve({ client_order_id: 'never-sent' });
		expect(now).toMatchObject({ ...nobody, outcome: 'unknown', not_before: expect.any(String) });
		const not_before = '2020-01-01T00:00:00Z';
		const later = await client().order.resolve({ client_order_id: 'never-sent', not_before });
		expect(later).toEqual({ ...nobody, outcome: 'not_found' });
	});

	it('does not treat an unreadable list as a list without the order', async () => {
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 100 });
		arm('commit-then-drop');
		const error = await errorOf(client().order.create(resting, { intent: 'a' }));
		expect(error.code).toBe('outcome_unknown');
		expect(createsIn(sandbox)).toHaveLength(1);
		const reading = await errorOf(client().order.resolve({ client_order_id: String(error.details.client_order_id) }));
		expect(reading.code).toBe('unavailable');
	});

	it('answers a conflict with the order it finds if that is the one it sent', async () => {
		const first = await client().order.create(resting, { intent: 'a' });
		arm('conflict');
		const again = await client().order.create(resting, { intent: 'a' });
		expect(again).toMatchObject({ order_id: first.order_id });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it.each([
		['another quantity', { quantity: '11.00' }],
		['another price', { price: '1400.01' }],
		['another side', { side: 'sell', price: '1600.00' }],
		['another type', { order_type: 'market', price: undefined }],
	])('reports a conflict with an order of %s and names it', async (_, changes) => {
		const first = await client().order.create(resting, { intent: 'a' });
		const error = await errorOf(client().order.create({ ...resting, ...changes } as typeof resting, { intent: 'a' }));
		expect(error).toMatchObject({ code: 'conflict', details: { order_id: first.order_id } });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it.each([['unauthorized'], ['forbidden']] as const)('takes %s on the first attempt as final', async (kind) => {
		arm(kind, { times: 5 });
		const error = await errorOf(client().order.create(resting, { intent: 'a' }));
		expect(error.code).toBe(kind);
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('lets a second call of the same intent share the outcome of the first', async () => {
		const memory = createAccountMemory();
		const calls = [1, 2, 3].map(() => client({ memory }).order.create(resting, { intent: 'a' }));
		const items = await Promise.all(calls);
		expect(new Set(items.map(({ order_id }) => order_id)).size).toBe(1);
		expect(createsIn(sandbox)).toHaveLength(1);
		expect(items.filter((item) => 'repeated' in item)).toHaveLength(2);
	});

	it('lets two processes that know nothing of each other place one order', async () => {
		arm('commit-then-delay', { delayMs: 60 });
		const items = await Promise.all([
			client().order.create(resting, { intent: 'a' }),
			client().order.create(resting, { intent: 'a' }),
		]);
		expect(items[0].order_id).toBe(items[1].order_id);
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('says what stands of the first payload where another one comes under its key', async () => {
		const memory = createAccountMemory();
		const { order_id } = await client({ memory }).order.create(resting, { intent: 'a' });
		const again = { ...resting, price: '1300.00' };
		expect(await errorOf(client({ memory }).order.create(again, { intent: 'a' }))).toMatchObject({
			code: 'conflict',
			details: { order_id },
			message: expect.stringContaining(
				`already stands for the order ${order_id}, which has other values. Read that order`,
			),
		});
		arm('commit-then-drop', { times: 1 });
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 100 });
		const options = { unknown_after_seconds: 1 };
		await errorOf(client({ memory }).order.create(resting, { intent: 'b', options }));
		const unsure = await errorOf(client({ memory }).order.create(again, { intent: 'b', repeated: true, options }));
		expect(unsure).toMatchObject({
			code: 'outcome_unknown',
			message: expect.stringContaining('an earlier run may have sent it'),
		});
		expect(unsure.message).toContain('already used for an order with other values');
		expect(ordersIn(sandbox)).toHaveLength(2);
	});

	it.each([
		['that was not sent', 'never', { code: 'not_available', done: 'no' }],
		['that may have been sent', 'perhaps', { code: 'outcome_unknown', done: 'unknown' }],
	] as const)('does not send an order %s any more once the machine has slept on it', async (_, sent, end) => {
		const [clock, { send }] = [quickClock(), nodePorts()];
		let sleptMs = 0;
		const tries: string[] = [];
		const sleepy = createClient(accountOf(sandbox), {
			...nodePorts(),
			random: () => 0.999,
			clock: { ...clock, now: () => clock.now() + sleptMs },
			send: async (request) => {
				if (request.method !== 'POST') return await send(request);
				tries.push(request.url);
				sleptMs = 3_600_000;
				throw new TransportError('reset', sent);
			},
		});
		const error = await errorOf(sleepy.order.create(resting, { intent: 'a' }));
		expect(error).toMatchObject(end);
		expect(error.details?.attempts ?? 1).toBe(1);
		expect(tries).toHaveLength(1);
	});

	it('calls an order unknown, and not failed, where the program around it fails after it was sent', async () => {
		arm('drop-before-commit', { times: 1 });
		let asked = 0;
		const gone = () => Promise.reject(new Error('Credential "a" does not exist'));
		const late = client({ renewLimits: () => ((asked += 1) > 1 ? gone() : Promise.resolve()) });
		const error = await errorOf(late.order.create(resting, { intent: 'a' }));
		expect(asked).toBe(2);
		expect(error).toMatchObject({ code: 'outcome_unknown' });
		expect(error.message).not.toContain('Credential');
		const before = client({ renewLimits: gone });
		await expect(before.order.create(resting, { intent: 'b' })).rejects.toThrow('Credential "a" does not exist');
		expect(ordersIn(sandbox)).toEqual([]);
	});

	it('lets a corrected order go out under the name of one that was certainly refused', async () => {
		const memory = createAccountMemory();
		const options = { check_market: false };
		const wrong = await errorOf(
			client({ memory }).order.create({ ...resting, quantity: '10.001' }, { intent: 'a', options }),
		);
		expect(wrong.code).toBe('refused');
		await client({ memory }).order.create(resting, { intent: 'a', options });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});
});
