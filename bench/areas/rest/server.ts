import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An order as each service answers one, about as long. */
const order = {
	...{
		id: '00000000-0000-4000-8000-000000000001',
		client_order_id: 'invoice-1042',
		pair_id: 'USD/NGN',
		order_type: 'limit',
	},
	...{ side: 'buy', quantity: '10.00', price: '1500.25', filled_quantity: '0.00', avg_fill_price: '0.00' },
	...{ status: 'accepted', time_in_force: 'GTC', created_at: '2026-01-01T00:00:00.000Z' },
};
const accepted = { order_id: order.id, status: 'accepted', created_at: order.created_at };
/** A market as our sandbox shows one: every rule in it is looked for and held to before an order goes out. */
const market = {
	...{ pair_id: 'USD/NGN', base_currency: 'USD', quote_currency: 'NGN', status: 'active' },
	...{ order_types: ['limit', 'market'], time_in_force: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] },
	...{ price_precision: 2, quantity_precision: 2, price_tick: '0.01', quantity_step: '0.01' },
	...{ min_quantity: '1.00', max_quantity: '1000000.00', min_notional: '1000.00' },
};

const answers: readonly [RegExp, unknown][] = [
	[/^GET .*\/ticker/, order],
	[/^GET .*\/orders\/[^/?]+$/, { status: 'success', data: order }],
	[/^GET .*\/orders/, { status: 'success', data: { count: 0, orders: [] } }],
	[/^GET .*\/balances/, { status: 'success', data: { balances: [] } }],
	[/^GET .*\/markets/, { status: 'success', data: { markets: [market] } }],
	[/^GET \/v1\/customers/, { object: 'customer', ...order }],
	[/^POST /, { status: 'success', data: accepted }],
];
const prepared = answers.map(([pattern, body]) => [pattern, JSON.stringify(body)] as const);

/** Our service answers a new order with 201, the others with 200. */
const OURS = '/v1/partner';

/** Answers at once with what is there already, so that what is measured is the one who asks. */
export const serveRest = (): Promise<string> => serve((answer) => answer());

/** What a new connection with TLS and its answer take where a packet takes 35 ms each way; everything else is the same. */
const AWAY_MS = 200;
export const serveRestFarAway = (): Promise<string> => serve((answer) => setTimeout(answer, AWAY_MS));

async function serve(inTime: (answer: () => void) => void): Promise<string> {
	const written = new Map<string, string>();
	let placed = 0;
	/** Each order has an id of its own, because an id that was given before names another order. */
	const numbered = (body: string): string => {
		placed += 1;
		return body.replace(order.id, `00000000-0000-4000-8000-${String(placed).padStart(12, '0')}`);
	};
	/** A request for an order is answered with that one: another is refused as somebody else's answer. */
	const asked = (line: string, body: string): string => {
		const [, id] = /^GET .*\/orders\/([^/]+)$/.exec(line) ?? [];
		return id === undefined ? body : body.replace(order.id, id);
	};
	const server = createServer((request, response) => {
		const line = `${request.method} ${request.url?.split('?')[0]}`;
		const body = written.get(line) ?? prepared.find(([pattern]) => pattern.test(line))?.[1] ?? '{}';
		if (!line.startsWith('GET')) written.set(line, body);
		const status = request.url?.startsWith(OURS) && request.method === 'POST' ? 201 : 200;
		request
			.resume()
			.on('end', () => inTime(() => reply(response, status, status === 201 ? numbered(body) : asked(line, body))));
	});
	server.keepAliveTimeout = 60_000;
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function reply(response: ServerResponse, status: number, body: string): void {
	response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
	response.end(body);
}
