import { createAccountMemory, type Client } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting, streamingClient } from '../../support/placing';
import { failure, startWire, success } from '../../support/wire';

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
		client = quickClient(accountOf(sandbox), { memory: createAccountMemory() });
	};

	beforeEach(begin);
	afterEach(() => sandbox.close());

	it('places an order again after a restart in memory, and keeps its name from then on', async () => {
		const before = await client.order.create(resting, named);
		const port = Number(new URL(sandbox.url).port);
		await sandbox.close();
		await open(port);
		const after = await client.order.create(resting, named);
		expect(after.order_id).not.toBe(before.order_id);
		expect(await client.order.create(resting, named)).toMatchObject({ order_id: after.order_id, repeated: true });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('lets another order take that name where the restart cut the connection of the first look', async () => {
		await client.order.create(resting, named);
		sandbox.reset();
		sandbox.faults.arm({ kind: 'drop-before-commit', operation: 'order.get' });
		await client.order.create({ ...resting, quantity: '11.00' }, named);
		expect(ordersIn(sandbox).map(({ quantity }) => quantity)).toEqual([1100n]);
	});

	it('places an order once that many ask for after a sandbox reset', async () => {
		await client.order.create(resting, named);
		sandbox.reset();
		const all = await Promise.all(Array.from({ length: 5 }, () => client.order.create(resting, named)));
		expect(new Set(all.map(({ order_id }) => order_id)).size).toBe(1);
		expect(all.filter((entry) => !('repeated' in entry))).toHaveLength(1);
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('checks a sandbox order once more for many callers while the sandbox is away', async () => {
		const before = await client.order.create(resting, named);
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.get', times: 5 });
		const all = await Promise.all(Array.from({ length: 5 }, () => client.order.create(resting, named)));
		expect(new Set(all.map(({ order_id }) => order_id))).toEqual(new Set([before.order_id]));
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('does not repeat the earlier answer to a cancel after a sandbox reset, and refuses it', async () => {
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
	it('never places an order again outside the sandbox because the service does not show it', async () => {
		const wire = await startWire();
		wire.on('POST /partner/exchange/orders', success({ order_id: 'order-1', status: 'pending' }));
		wire.on('GET /partner/exchange/orders/order-1', failure(404, { message: 'not found' }));
		const account = { ...wire.account, environment: 'staging' } as const;
		const client = quickClient(account, { memory: createAccountMemory() });
		await client.order.create(resting, { intent: 'a' });
		expect(await client.order.create(resting, { intent: 'a' })).toMatchObject({ order_id: 'order-1', repeated: true });
		await wire.close();
	});
});
