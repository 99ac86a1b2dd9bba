import type { Order } from '@partner-exchange/core';
import { silence, success, useWire } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';
const { wire, client } = useWire();

const order = (id: string, status: string, day: number) => ({
	...{ id, status, pair_id: 'USD/NGN', quantity: '1.00', filled_quantity: '0.00' },
	created_at: `2026-01-0${day}T00:00:00Z`,
});
const all = [order('a', 'filled', 3), order('b', 'cancelled', 2), order('c', 'filled', 1)];

describe('a list of a client', () => {
	it('is the page of the service where it is awaited, asked for once and not before', async () => {
		wire.on(ORDERS, success({ count: 3, orders: all }));
		const list = client.order.list();
		expect(wire.calls(ORDERS)).toEqual([]);
		expect(await list).toEqual({ count: 3, orders: all.map((each) => ({ ...each, remaining_quantity: '1.00' })) });
		expect(await list).toBe(await list);
		expect(wire.calls(ORDERS)).toHaveLength(1);
	});

	it('is every item of all pages where it is iterated', async () => {
		wire.on(ORDERS, success({ orders: all.slice(0, 2) }), success({ orders: all.slice(2) }), success({ orders: [] }));
		const items: Order[] = [];
		for await (const item of client.order.list()) items.push(item);
		expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
	});

	it.each([
		[{ created_before: '2026-01-03T00:00:00Z' }, ['b', 'c']],
		[{ created_after: '2026-01-02T00:00:00Z' }, ['a', 'b']],
		[{ sort: 'oldest_first' }, ['c', 'b', 'a']],
		[{ created_before: '2026-01-01T00:00:00Z' }, []],
	] as const)('does what the options %j say, in one page and over all', async (options, ids) => {
		wire.on(ORDERS, success({ count: 3, orders: all }));
		const { orders, count } = await client.order.list({}, { options });
		expect({ ids: orders.map(({ id }) => id), count }).toEqual({ ids, count: 3 });
		const items: string[] = [];
		for await (const { id } of client.order.list({}, { options })) items.push(id);
		expect(items).toEqual(ids);
	});

	it('hands its error to whoever awaits or iterates it', async () => {
		wire.on(ORDERS, { status: 401 });
		await expect(client.order.list()).rejects.toMatchObject({ code: 'unauthorized' });
		await expect(client.order.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'unauthorized' });
		expect(await client.order.list().catch((error: { code: string }) => error.code)).toBe('unauthorized');
		expect(
			await client.order
				.list({ status: 'none' } as never)
				.finally(() => undefined)
				.catch(() => 'caught'),
		).toBe('caught');
	});
});

it('says that the time was over where the caller gave it a time, and not that somebody stopped it', async () => {
	wire.on(ORDERS, silence);
	await expect(client.order.list({}, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'timeout' });
	await expect(client.order.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
});
