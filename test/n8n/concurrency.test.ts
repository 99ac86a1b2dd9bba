import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitOrder, run } from './exchange';

/** The number of concurrent reads, initially and at most. */
const FIRST = 20;
const MOST = 100;
const ITEMS = 400;

let service: Server;
const pending: ServerResponse[] = [];
let answered = 0;
let beyond = 0;

/** The limit grows by one with every response. */
const allowed = (): number => Math.min(MOST, FIRST + answered);

/** Responds only once the maximum is waiting, so that with a lower limit the test would never end. */
beforeAll(async () => {
	service = createServer((_request, response) => {
		response.setHeader('content-type', 'application/json');
		pending.push(response);
		beyond = Math.max(beyond, pending.length - allowed());
		while (pending.length > 0 && pending.length >= Math.min(allowed(), ITEMS - answered)) {
			const entry = pending.shift()!;
			answered += 1;
			entry.end(JSON.stringify({ status: 'success', data: orderAt(entry.req.url ?? '') }));
		}
	});
	await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void service.close());

const orderAt = (path: string) => ({ id: path.split('/').at(-1), status: 'filled', quantity: '1.00' });

it('reads twenty items at once, one more with each answer up to a hundred, and answers in their order', async () => {
	const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;
	const sandbox = { baseUrl: `http://${address}/v1`, wsUrl: `ws://${address}/v1/ws` };
	const items = Array.from({ length: ITEMS }, (_, index) => ({ order_id: `order-${index}` }));
	const parameters = { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' };
	const made = await run(sandbox as never, parameters, { items });
	expect([beyond, allowed()]).toEqual([0, MOST]);
	expect(made.items.map(({ json, pairedItem }) => [json['id'], pairedItem])).toEqual(
		items.map(({ order_id }, item) => [order_id, { item }]),
	);
});

describe('the orders of a run', () => {
	/** Answers orders once so many wait, so that with fewer at a time the test would never end. */
	async function exchange(wanted: number) {
		const held: ServerResponse[] = [];
		const seen: string[] = [];
		let most = 0;
		const server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request
				.on('data', (chunk: Buffer) => chunks.push(chunk))
				.on('end', () => {
					seen.push((JSON.parse(Buffer.concat(chunks).toString()) as { quantity: string }).quantity);
					most = Math.max(most, held.push(response));
					if (held.length < wanted) return;
					for (const each of held.splice(0)) {
						const data = {
							order_id: `order-${String(each.req.headers['idempotency-key'])}`,
							status: 'accepted',
						};
						each.setHeader('content-type', 'application/json');
						each.end(JSON.stringify({ status: 'success', data }));
					}
				});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
		return { baseUrl: `http://${address}/v1`, wsUrl: `ws://${address}/v1/ws`, most: () => most, seen, server };
	}
	const quantities = Array.from({ length: 10 }, (_, index) => `${index + 1}.00`);
	const items = quantities.map((quantity) => ({ quantity }));
	const order = { ...limitOrder, quantity: '={{ $json.quantity }}' };
	const plain = { wait: 'none', check_market: false };

	it.each([
		['one after another', 1, plain],
		['up to five side by side where the option says so', 5, { ...plain, sideBySide: true }],
		['one after another where the option is an expression', 1, { ...plain, sideBySide: '={{ true }}' }],
	])('are sent %s, and answered in the order of the items', async (_, wanted, options) => {
		const service = await exchange(wanted);
		const made = await run(service as never, { ...order, options }, { items });
		service.server.close();
		expect(made.error).toBeUndefined();
		expect(service.most()).toBe(wanted);
		if (wanted === 1) expect(service.seen).toEqual(quantities);
		expect(made.items.map(({ json }) => json['quantity'])).toEqual(quantities);
	});
});
