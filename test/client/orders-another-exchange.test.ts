import { createInFlightIntents, type Client } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting, streamingClient } from '../support/placing';
import { failure, startWire, success } from '../support/wire';

/**
 * After a reset, or a restart without a data file, the sandbox is another exchange: orders of the old one do not exist.
 */
describe('an order that a sandbox no longer has', () => {
	let sandbox: Sandbox;
	let client: Client;
	const named = { options: { business_key: 'invoice-7' } };
	const open = async (port = 0): Promise<void> => {
		sandbox = await startSandbox({ port, settings: { orderDelayMs: 0 } });
	};
	const begin = async (): Promise<void> => {
		await open();
		client = quickClient(accountOf(sandbox), { inFlight: createInFlightIntents() });
	};

	beforeEach(begin);
	afterEach(() => sandbox.close());

	it('is placed again after a reset, under the same business key', async () => {
		const before = await client.order.create(resting, named);
		sandbox.reset();
		const after = await client.order.create(resting, named);
		expect(after).not.toHaveProperty('repeated');
		expect(after.order_id).not.toBe(before.order_id);
		expect(ordersIn(sandbox).map(({ id }) => id)).toEqual([after.order_id]);
	});

	it('is placed again after a restart in memory, and its name is held from then on', async () => {
		const before = await client.order.create(resting, named);
		const port = Number(new URL(sandbox.url).port);
		await sandbox.close();
		await open(port);
		const after = await client.order.create(resting, named);
		expect(after.order_id).not.toBe(before.order_id);
		expect(await client.order.create(resting, named)).toMatchObject({ order_id: after.order_id, repeated: true });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('does not stand in the way of another order under its name', async () => {
		await client.order.create(resting, named);
		expect(await errorOf(client.order.create({ ...resting, quantity: '11.00' }, named))).toMatchObject({
			code: 'conflict',
		});
		sandbox.reset();
		await client.order.create({ ...resting, quantity: '11.00' }, named);
		expect(ordersIn(sandbox).map(({ quantity }) => quantity)).toEqual([1100n]);
	});

	it('does not stand there either where the restart has cut the connection that the first look takes', async () => {
		await client.order.create(resting, named);
		sandbox.reset();
		sandbox.faults.arm({ kind: 'drop-before-commit', operation: 'order.get' });
		await client.order.create({ ...resting, quantity: '11.00' }, named);
		expect(ordersIn(sandbox).map(({ quantity }) => quantity)).toEqual([1100n]);
	});

	it('is placed once by many who ask at the same time', async () => {
		await client.order.create(resting, named);
		sandbox.reset();
		const all = await Promise.all(Array.from({ length: 5 }, () => client.order.create(resting, named)));
		expect(new Set(all.map(({ order_id }) => order_id)).size).toBe(1);
		expect(all.filter((one) => !('repeated' in one))).toHaveLength(1);
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('is told apart from another order with its id', async () => {
		const run = { run: '0000000000a1', settings: { orderDelayMs: 0 } };
		await sandbox.close();
		sandbox = await startSandbox(run);
		client = quickClient(accountOf(sandbox), { inFlight: createInFlightIntents() });
		const before = await client.order.create(resting, named);
		const port = Number(new URL(sandbox.url).port);
		await sandbox.close();
		sandbox = await startSandbox({ ...run, port });
		const other = await quickClient(accountOf(sandbox)).order.create(resting, { intent: 'another' });
		expect(other.order_id).toBe(before.order_id);
		const after = await client.order.create(resting, named);
		expect(after.order_id).not.toBe(before.order_id);
		expect(ordersIn(sandbox)).toHaveLength(2);
	});

	it('is not given up because it cannot be read for a moment', async () => {
		const before = await client.order.create(resting, named);
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.get' });
		expect(await client.order.create(resting, named)).toMatchObject({ order_id: before.order_id, repeated: true });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('is looked for once more by many who ask while the sandbox is away', async () => {
		const before = await client.order.create(resting, named);
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.get', times: 5 });
		const all = await Promise.all(Array.from({ length: 5 }, () => client.order.create(resting, named)));
		expect(new Set(all.map(({ order_id }) => order_id))).toEqual(new Set([before.order_id]));
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('is cancelled no second time by words of the first', async () => {
		const { client: streaming, stream } = streamingClient(accountOf(sandbox));
		const { order_id = '' } = await streaming.order.create(resting);
		const cancel = () => streaming.order.cancel({ order_id, pair_id: 'USD/NGN' }, { intent: 'a' });
		await cancel();
		expect(await cancel()).toMatchObject({ repeated: true });
		sandbox.reset();
		const { code } = await errorOf(cancel());
		await stream.close();
		expect(code).toBe('refused');
	});
});

describe('an order of an environment that is not the sandbox', () => {
	it('is never placed again because the service does not show it', async () => {
		const wire = await startWire();
		wire.on('POST /partner/exchange/orders', success({ order_id: 'order-1', status: 'pending' }));
		wire.on('GET /partner/exchange/orders/order-1', failure(404, { message: 'not found' }));
		const account = { ...wire.account, environment: 'staging' } as const;
		const client = quickClient(account, { inFlight: createInFlightIntents() });
		await client.order.create(resting, { intent: 'a' });
		expect(await client.order.create(resting, { intent: 'a' })).toMatchObject({ order_id: 'order-1', repeated: true });
		await wire.close();
	});
});
