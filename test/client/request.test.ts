import { createServer } from 'node:http';
import { routeOf, operationIds, operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { openPort } from '../support/loopback';
import { useWire, wireClient } from '../support/wire';

const { wire, client } = useWire();

const sent = () => wire.received[0]!;

describe('the address', () => {
	it('writes one version and one slash into an address, however the base address ends', async () => {
		const slashed = wireClient(wire, { baseUrl: `${wire.url}/` });
		await slashed.wallet.currencies({}).catch(() => undefined);
		expect(sent().path).toBe('/partner/wallets/currencies');
	});

	it('writes the slash of a pair as %2F once in a path', async () => {
		await client.market.orderBook({ pair_id: 'USD/NGN' }).catch(() => undefined);
		expect(sent().path).toBe('/partner/exchange/orderbook/USD%2FNGN/snapshot');
	});

	it('sends no paging parameter that nobody set', async () => {
		await client.market.trades({ pair_id: 'USD/NGN' }).catch(() => undefined);
		await client.market.candles({ pair_id: 'USD/NGN', interval: '1h' }).catch(() => undefined);
		const queries = wire.received.map(({ path }) => path.split('?')[1]);
		expect(queries).toEqual(['pair_id=USD%2FNGN', 'pair_id=USD%2FNGN&interval=1h']);
	});

	it("sends the account's names for inputs whose name is not shown", async () => {
		const renamed = wireClient(wire, { names: { 'order.list.limit': 'page_size', 'order.list.status': 'state' } });
		await renamed.order.list({ limit: 5, status: 'filled' }).catch(() => undefined);
		expect(sent().path).toBe('/partner/exchange/orders?state=filled&page_size=5');
	});
});

describe('the key', () => {
	const routed = operationIds.filter((id) => routeOf(operationOf(id)));
	const keyless = routed.filter((id) => operationOf(id).access === 'public');
	const sample: Record<string, unknown> = {
		amount: '5',
		email: 'a@b.test',
		currency: 'NGN',
		chain: 'TRON',
		asset: 'USDT',
		body: {},
	};

	it.each(keyless)('sends no key with %s', async (id) => {
		const input = Object.fromEntries(Object.keys(operationOf(id).input).map((name) => [name, sample[name]]));
		await client.call(id, input).catch(() => undefined);
		expect(wire.received).not.toHaveLength(0);
		expect(JSON.stringify(wire.received)).not.toContain('canary');
		expect(sent().headers).not.toHaveProperty('x-api-key');
	});

	it.each([301, 302, 303, 307, 308])('does not send the key along a redirect with status %d', async (status) => {
		let reached = 0;
		const elsewhere = createServer((_, response) => {
			reached += 1;
			response.end('{}');
		});
		const port = await openPort(elsewhere);
		wire.on('GET /partner/wallets/currencies', {
			status,
			headers: { location: `http://127.0.0.1:${port}/v1/partner` },
		});
		const failure = await client.wallet.currencies({}).catch((error) => error);
		expect(failure).toMatchObject({ code: 'malformed_response', status });
		expect(failure.message).toContain('never followed');
		expect(reached).toBe(0);
		expect(wire.received).toHaveLength(1);
		await new Promise((closed) => elsewhere.close(closed));
	});
});

describe('a name', () => {
	const limit = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1500' };

	it.each(['invoice\u200b7', 'invoice\ufeff7', 'invoice\u20287', 'invoice\u00ad7', 'invoice\u31647'])(
		'holds no characters that nobody sees: %j',
		async (name) => {
			const options = { business_key: name };
			const refused = expect.objectContaining({ code: 'invalid_input', field: 'business_key' }) as Error;
			await expect(client.call<OperationId>('order.create', limit, { options })).rejects.toEqual(refused);
			const named = { ...limit, client_order_id: name };
			await expect(client.call<OperationId>('order.create', named)).rejects.toMatchObject({ field: 'client_order_id' });
			expect(wire.received).toHaveLength(0);
		},
	);

	it('holds no half of a character, because a service shows something else in its place', async () => {
		const refused = { code: 'invalid_input', message: expect.stringContaining('Enter ada') as string };
		const options = { business_key: 'ada\ud83d' };
		await expect(client.call<OperationId>('order.create', limit, { options })).rejects.toMatchObject(refused);
		const named = { ...limit, client_order_id: 'ada\ude00' };
		await expect(client.call<OperationId>('order.create', named)).rejects.toMatchObject(refused);
		expect(wire.received).toHaveLength(0);
	});
});
