import { LIST_BYTES_MAX } from '../../packages/core/src/ports';
import { success, useWire } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';

const { wire, client } = useWire();

describe('a list that the service answers all at once', () => {
	it('reads a list of 30,000 orders in 6 MB that comes at once', async () => {
		const orders = Array.from({ length: 30_000 }, (_, number) => ({
			id: `o${number}`,
			status: 'filled',
			note: 'x'.repeat(200),
		}));
		wire.on(ORDERS, success({ orders }));
		expect(await client.page('order.list', {})).toHaveLength(orders.length);
	});

	it('refuses a list beyond the limit, with advice that names it', async () => {
		const page = JSON.stringify({ status: 'success', data: { orders: [] } });
		wire.on(ORDERS, { body: page + ' '.repeat(LIST_BYTES_MAX) });
		await expect(client.page('order.list', {})).rejects.toMatchObject({
			code: 'limit_reached',
			advice: 'Ask the operator of the service to answer this list in pages: at most 32 MiB are read',
		});
	});
});
