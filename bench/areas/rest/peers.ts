import http from 'node:http';
import axiosModule from 'axios';
import type { Contestant } from '../../area';
import { peer } from '../../peers';
import { calls } from './load';

const BODY = JSON.stringify({
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '10.00',
	price: '1500.25',
});
const HEADERS = { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': 'bench-key' };
const PATH = '/v1/partner/exchange/orders';

/** axios as it is installed, which keeps connections by itself on this Node. */
export const axios = (atOnce: number): Contestant => ({
	title: 'axios',
	run: (size, address) =>
		calls(size, atOnce, () => axiosModule.post(`http://${address}${PATH}`, JSON.parse(BODY), { headers: HEADERS })),
});

export const fetched = (atOnce: number): Contestant => ({
	title: "Node's own fetch",
	run: (size, address) =>
		calls(size, atOnce, async () => {
			const response = await fetch(`http://${address}${PATH}`, { method: 'POST', headers: HEADERS, body: BODY });
			return response.json();
		}),
});

export const nodeHttp = (atOnce: number): Contestant => ({
	title: 'node:http',
	note: 'no timeout, no limit, no abort',
	run: (size, address) => {
		const agent = new http.Agent({ keepAlive: true });
		const [host, port] = address.split(':');
		const call = (): Promise<unknown> =>
			new Promise((resolve, reject) => {
				const request = http.request(
					{ agent, host, port, path: PATH, method: 'POST', headers: HEADERS },
					(response) => {
						let text = '';
						response.setEncoding('utf8');
						response.on('data', (part: string) => (text += part));
						response.on('end', () => resolve(JSON.parse(text)));
					},
				);
				request.on('error', reject);
				request.end(BODY);
			});
		return calls(size, atOnce, call);
	},
});

interface Undici {
	request(url: string, options: object): Promise<{ body: { json(): Promise<unknown> } }>;
	Pool: new (origin: string, options: object) => object;
}

export const undici = (atOnce: number): Contestant => ({
	title: 'undici.request',
	peer: 'undici',
	note: 'no identity, no journal, no outcome of a lost reply',
	run: (size, address) => {
		const { request, Pool } = peer<Undici>('undici');
		const dispatcher = new Pool(`http://${address}`, { connections: 64 });
		return calls(size, atOnce, async () => {
			const { body } = await request(`http://${address}${PATH}`, {
				method: 'POST',
				headers: HEADERS,
				body: BODY,
				dispatcher,
			});
			return body.json();
		});
	},
});

interface CcxtExchange {
	urls: { api: Record<string, string> };
	privatePostOrder(order: object): Promise<unknown>;
}

const ORDER = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '10', price: '1500.25', timeInForce: 'GTC' };

export const ccxt = (atOnce: number): Contestant => ({
	title: 'ccxt',
	peer: 'ccxt',
	note: 'signs with HMAC',
	run: (size, address) => {
		const { binance } = peer<{ binance: new (options: object) => CcxtExchange }>('ccxt');
		const exchange = new binance({ apiKey: 'key', secret: 'secret', enableRateLimit: false });
		exchange.urls.api.private = `http://${address}/api/v3`;
		return calls(size, atOnce, () => exchange.privatePostOrder(ORDER));
	},
});

interface Stripe {
	customers: { create(customer: object): Promise<unknown> };
}

export const stripe = (atOnce: number): Contestant => ({
	title: 'stripe',
	peer: 'stripe',
	note: 'encodes a form',
	run: (size, address) => {
		const Stripe = peer<new (key: string, options: object) => Stripe>('stripe');
		const [host, port] = address.split(':');
		const client = new Stripe('sk_test_bench', { host, port: Number(port), protocol: 'http', telemetry: false });
		return calls(size, atOnce, () => client.customers.create(ORDER));
	},
});

interface BinanceClient {
	submitNewOrder(order: object): Promise<unknown>;
}

export const binance = (atOnce: number): Contestant => ({
	title: 'binance (tiagosiebler)',
	peer: 'binance',
	note: 'signs with HMAC',
	run: (size, address) => {
		const { MainClient } = peer<{ MainClient: new (options: object) => BinanceClient }>('binance');
		const options = { api_key: 'key', api_secret: 'secret', baseUrl: `http://${address}`, disableTimeSync: true };
		const client = new MainClient(options);
		return calls(size, atOnce, () => client.submitNewOrder(ORDER));
	},
});
