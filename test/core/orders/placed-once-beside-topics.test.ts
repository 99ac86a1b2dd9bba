import { createClient, createStream, type Stream } from '@partner-exchange/core';
import { nodePorts, wsSocket } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';

const ORDERS = 200;
const TOPICS = 50;

describe('a flow that lets go of everything at once', () => {
	let sandbox: Sandbox;
	let stream: Stream;
	beforeAll(async () => {
		sandbox = await startSandbox({ seed: 1, settings: { orderDelayMs: 0 }, marketMaker: false });
	});
	afterAll(async () => {
		await stream?.close();
		await sandbox.close();
	});

	it('places 200 orders beside 50 topics, each once, almost without rate limits (fault 72)', async () => {
		const account = {
			environment: 'sandbox' as const,
			baseUrl: sandbox.baseUrl,
			wsUrl: sandbox.wsUrl,
			apiKey: 'sandbox-key',
		};
		const ports = nodePorts();
		const client = createClient(account, ports);
		stream = createStream({ ...ports, account, client, openSocket: wsSocket });
		const pairs = Array.from({ length: TOPICS - 2 }, (_, at) => `trades.P${at}_NGN`);
		const listening = stream.subscribe({ topics: ['user.orders', 'user.fills'], deliver: async () => undefined });
		stream
			.subscribe({ topics: pairs, retriesFirstConnection: true, deliver: async () => undefined })
			.ready.catch(() => undefined);
		await listening.ready;

		const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1000.00' } as const;
		const placed = await Promise.all(Array.from({ length: ORDERS }, () => client.order.create(order)));
		const ids = placed.map(({ order_id }) => order_id).sort();
		expect(new Set(ids).size).toBe(ORDERS);
		const posts = sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'));
		expect(posts.length - ORDERS).toBeLessThanOrEqual(ORDERS / 100);
		const listed: unknown[] = [];
		for await (const { id } of client.items('order.list', { limit: 100 })) listed.push(id);
		expect(listed.filter((id) => ids.includes(String(id))).sort()).toEqual(ids);
	});
});
