/** What remains of an order, exact, wherever an order is shown. */
import { createClient, type Item } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, streamingClient } from '../support/placing';
import { success, useWire } from '../support/wire';
import { until } from '../support/condition';
import { forAll } from '../support/opened';

const pair_id = 'USD/NGN';

describe('what remains of an order', () => {
	const sandbox = forAll(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	const used = forAll(() => streamingClient(accountOf(sandbox)));

	const other = forAll(() => createClient(accountOf(sandbox, 'sandbox-key-second'), nodePorts()));
	/** An order of 10.00 of which another one takes 3.10. */
	async function partlyFilled(): Promise<string> {
		const resting = { pair_id, side: 'sell', order_type: 'limit', quantity: '10.00', price: '1400.00' } as const;
		const { order_id } = await used.client.order.create(resting, { options: { wait: 'accepted' } });
		const taking = { ...resting, side: 'buy', quantity: '3.10' } as const;
		await other.order.create(taking, { options: { wait: 'final' } });
		return order_id;
	}

	it('is told beside what was filled, in reads, lists, waits, cancels and events', async () => {
		const events: Item[] = [];
		const subscription = used.stream.subscribe({
			topics: ['user.orders'],
			deliver: async (batch) => void events.push(...batch.map(({ data }) => data as Item)),
		});
		await subscription.ready;
		const order_id = await partlyFilled();
		const left = { filled_quantity: '3.10', remaining_quantity: '6.90' };
		await expect(used.client.order.get({ order_id })).resolves.toMatchObject(left);
		const rows: Item[] = [];
		for await (const row of used.client.order.list({ pair_id })) rows.push(row);
		expect(rows.find(({ id }) => id === order_id)).toMatchObject(left);
		const page = await used.client.order.list({ pair_id });
		expect(page.orders.find(({ id }) => id === order_id)).toMatchObject(left);
		const cancelled = await used.client.order.cancel({ pair_id, order_id }, { options: { wait: 'final' } });
		expect(cancelled).toMatchObject({ status: 'cancelled', ...left });
		const told = () => events.find((event) => event.id === order_id && event.status === 'cancelled');
		await until(() => told() !== undefined, { what: 'the event of the cancel' });
		expect(told()).toMatchObject(left);
	});

	it('is said with what to do where an order ends after a part of it was filled', async () => {
		const resting = { pair_id, side: 'sell', order_type: 'limit', quantity: '3.00', price: '1400.00' } as const;
		await other.order.create(resting, { options: { wait: 'accepted' } });
		const taking = { ...resting, side: 'buy', quantity: '10.00', time_in_force: 'IOC' } as const;
		await expect(used.client.order.create(taking, { options: { wait: 'final' } })).resolves.toMatchObject({
			...{ status: 'cancelled', remaining_quantity: '7.00' },
			advice: 'It was cancelled after a part of it was filled: place at most the remaining 7.00 again',
		});
	});

	it('is said with what to do where a wait ends by its time limit', async () => {
		const order = { pair_id, side: 'buy', order_type: 'limit', quantity: '4.00', price: '1000.00' } as const;
		const options = { wait: 'final', wait_seconds: 1 } as const;
		await expect(used.client.order.create(order, { options })).resolves.toMatchObject({
			...{ filled_quantity: '0.00', remaining_quantity: '4.00' },
			wait: { ended: 'time_limit' },
			advice: expect.stringContaining('never the whole quantity again'),
		});
		const failing = used.client.order.create(order, { options: { ...options, fail_when: 'time_limit' } });
		await expect(failing).rejects.toMatchObject({ code: 'time_limit', details: { remaining_quantity: '4.00' } });
	});
});

describe('what remains of an order as services write it', () => {
	const { wire, client } = useWire();

	it.each([
		[{ quantity: '0.3', filled_quantity: '0.1' }, '0.2'],
		[
			{ quantity: '12345678901234567890.000000000000000003', filled_quantity: '0.000000000000000001' },
			'12345678901234567890.000000000000000002',
		],
		[{ quantity: '1.00', filled_quantity: '1.00' }, '0.00'],
		[{ quantity: '1.00', filled_quantity: '1.01' }, '0'],
		[{ quantity: '1.00', filled_quantity: '0.25', remaining_quantity: '0.70' }, '0.70'],
		[{ quantity: '1.00' }, undefined],
		[{ quantity: '1.00', filled_quantity: null }, undefined],
	])('of %j is %s', async (order, remaining) => {
		wire.on('GET /partner/exchange/orders/o1', success({ id: 'o1', status: 'accepted', ...order }));
		const answer = await client.order.get({ order_id: 'o1' });
		expect(answer.remaining_quantity).toBe(remaining);
	});

	it.each(['cancelled', 'CANCELLED', 'Canceled'])('is said where the order is %s', async (status) => {
		const order = { pair_id, side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' } as const;
		wire.on('GET /partner/exchange/markets', success({ markets: [] }));
		wire.on('POST /partner/exchange/orders', success({ order_id: 'o1', status: 'pending' }));
		wire.on('GET /partner/exchange/orders/o1', success({ ...order, id: 'o1', status, filled_quantity: '4.00' }));
		await expect(client.order.create(order, { intent: 'a', options: { wait: 'final' } })).resolves.toMatchObject({
			advice: 'It was cancelled after a part of it was filled: place at most the remaining 6.00 again',
		});
	});
});
