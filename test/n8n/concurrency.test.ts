import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { run } from './exchange';

/** As many as are read at the same time. */
const TOGETHER = 20;

let service: Server;
const held: ServerResponse[] = [];
let most = 0;

/** Answers no read before so many of them wait, so that fewer at a time would wait for ever. */
beforeAll(async () => {
	service = createServer((_request, response) => {
		response.setHeader('content-type', 'application/json');
		held.push(response);
		most = Math.max(most, held.length);
		if (held.length < TOGETHER) return;
		for (const one of held.splice(0)) one.end(JSON.stringify({ status: 'success', data: orderAt(one.req.url ?? '') }));
	});
	await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void service.close());

const orderAt = (path: string) => ({ id: path.split('/').at(-1), status: 'filled', quantity: '1.00' });

it('reads twenty items at the same time, no more, and answers them in their order', async () => {
	const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;
	const sandbox = { baseUrl: `http://${address}/v1`, wsUrl: `ws://${address}/v1/ws` };
	const items = Array.from({ length: 3 * TOGETHER }, (_, index) => ({ order_id: `order-${index}` }));
	const parameters = { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' };
	const made = await run(sandbox as never, parameters, { items });
	expect(most).toBe(TOGETHER);
	expect(made.items.map(({ json, pairedItem }) => [json['id'], pairedItem])).toEqual(
		items.map(({ order_id }, item) => [order_id, { item }]),
	);
});
