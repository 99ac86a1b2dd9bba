import type { Client } from '@partner-exchange/core';
import { startWire, success, wireClient, type Wire } from '../support/wire';

const limit = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1500' };

let wire: Wire;
let client: Client;
beforeAll(async () => {
	wire = await startWire();
	client = wireClient(wire);
});
afterEach(() => wire.received.splice(0));
afterAll(() => wire.close());

describe('a name', () => {
	it('treats a name as the same however its letters are composed', async () => {
		wire.on('GET /partner/exchange/orders', success({ count: 0, orders: [] }));
		wire.on(
			'POST /partner/exchange/orders',
			...[1, 2].map((id) => success({ order_id: `order-${id}`, status: 'pending' })),
		);
		const place = (business_key: string) =>
			client.call('order.create', limit, { options: { check_market: false, business_key } });
		await place('Z\u00fcrich');
		await place('Zu\u0308rich');
		const keys = wire.calls('POST /partner/exchange/orders').map(({ headers }) => headers['idempotency-key']);
		expect(new Set(keys).size).toBe(1);
	});

	it.each(['invoice\u200b7', 'invoice\u00a07', 'invoice\ufeff7', 'invoice\u20287', 'invoice\u00ad7', 'invoice\u31647'])(
		'holds no characters that nobody sees: %j',
		async (name) => {
			const options = { business_key: name };
			const refused = expect.objectContaining({ code: 'invalid_input', field: 'business_key' }) as Error;
			await expect(client.call('order.create', limit, { options })).rejects.toEqual(refused);
			const named = { ...limit, client_order_id: name };
			await expect(client.call('order.create', named)).rejects.toMatchObject({ field: 'client_order_id' });
			expect(wire.received).toHaveLength(0);
		},
	);
});
