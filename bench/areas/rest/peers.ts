import { rmSync } from 'node:fs';
import { mkdtemp, open } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axiosModule from 'axios';
import type { Contestant } from '../../area';
import { peer } from '../../peers';
import { calls } from './load';

/** Others make the same whole call: an order read by its id, or placed, with the key in a header and unsigned. */
const HEADERS = { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': 'bench-key' };
const PATH = '/v1/partner/exchange/orders';
const BODY = JSON.stringify({
	...{ pair_id: 'USD/NGN', side: 'buy', order_type: 'limit' },
	...{ quantity: '10.00', price: '1500.25' },
});

type Whole = (url: string, body: string | undefined) => Promise<unknown>;

/** Reads orders, or places them. */
export type Doing = 'read' | 'place';

const calling = (title: string, doing: Doing, atOnce: number, open: (address: string) => Whole): Contestant => ({
	title: doing === 'read' ? title : `${title}, a bare POST`,
	run: (size, address) => {
		const call = open(address);
		const url = `http://${address}${PATH}`;
		return calls(size, atOnce, (number) =>
			doing === 'read' ? call(`${url}/order-${number}`, undefined) : call(url, BODY),
		);
	},
});

/** axios as it is installed, which keeps connections by itself on this Node. */
export const axios = (doing: Doing, atOnce: number): Contestant =>
	calling(
		'axios',
		doing,
		atOnce,
		() => (url, body) =>
			body === undefined
				? axiosModule.get(url, { headers: HEADERS })
				: axiosModule.post(url, JSON.parse(body), { headers: HEADERS }),
	);

export const fetched = (doing: Doing, atOnce: number): Contestant =>
	calling("Node's own fetch", doing, atOnce, () => async (url, body) => {
		const response = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers: HEADERS, body });
		return response.json() as Promise<unknown>;
	});

export const nodeHttp = (doing: Doing, atOnce: number): Contestant => ({
	...calling('node:http', doing, atOnce, () => {
		const agent = new http.Agent({ keepAlive: true });
		return (url, body) =>
			new Promise((resolve, reject) => {
				const method = body === undefined ? 'GET' : 'POST';
				const request = http.request(url, { agent, method, headers: HEADERS }, (response) => {
					let text = '';
					response.setEncoding('utf8');
					response.on('data', (part: string) => (text += part));
					response.on('end', () => resolve(JSON.parse(text)));
				});
				request.on('error', reject);
				request.end(body);
			});
	}),
	note: 'no timeout, no limit, no abort',
});

interface Undici {
	request(url: string, options: object): Promise<{ body: { json(): Promise<unknown> } }>;
	Pool: new (origin: string, options: object) => object;
}

export const undici = (doing: Doing, atOnce: number): Contestant => ({
	...calling('undici.request', doing, atOnce, (address) => {
		const { request, Pool } = peer<Undici>('undici');
		const dispatcher = new Pool(`http://${address}`, { connections: 64 });
		return async (url, body) => {
			const method = body === undefined ? 'GET' : 'POST';
			const { body: answer } = await request(url, { method, headers: HEADERS, body, dispatcher });
			return answer.json();
		};
	}),
	peer: 'undici',
	note:
		doing === 'read'
			? 'no inputs checked, no errors told apart'
			: 'no identity, no journal, no outcome of a lost reply',
});

/** What the disk of this machine takes for one line, before a bare POST. No order that is recorded can cost less. */
export const undiciSynced = (atOnce: number): Contestant => {
	const bare = undici('place', atOnce);
	return {
		...bare,
		title: 'undici.request, a bare POST behind a bare line on the disk',
		note: 'an append and a sync, one after the other, and nothing else of a journal',
		run: async (size, address) => {
			const { request, Pool } = peer<Undici>('undici');
			const dispatcher = new Pool(`http://${address}`, { connections: 64 });
			const folder = await mkdtemp(join(tmpdir(), 'bench-'));
			process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
			const file = await open(join(folder, 'lines'), 'a');
			return calls(size, atOnce, async () => {
				await file.appendFile(`${BODY.padEnd(LINE_BYTES)}\n`);
				await file.datasync();
				const { body } = await request(`http://${address}${PATH}`, {
					...{ method: 'POST', headers: HEADERS, body: BODY, dispatcher },
				});
				return body.json();
			});
		},
	};
};
/** As long as the line of an order. */
const LINE_BYTES = 420;

interface CcxtExchange {
	urls: { api: Record<string, string> };
	publicGetTicker24hr(parameters: object): Promise<unknown>;
}

export const ccxt = (atOnce: number): Contestant => ({
	title: 'ccxt',
	peer: 'ccxt',
	note: 'a public read',
	run: (size, address) => {
		const { binance } = peer<{ binance: new (options: object) => CcxtExchange }>('ccxt');
		const exchange = new binance({ enableRateLimit: false });
		exchange.urls.api.public = `http://${address}${PATH}`;
		return calls(size, atOnce, (number) => exchange.publicGetTicker24hr({ symbol: `order-${number}` }));
	},
});

interface Stripe {
	customers: { retrieve(id: string): Promise<unknown> };
}

export const stripe = (atOnce: number): Contestant => ({
	title: 'stripe',
	peer: 'stripe',
	run: (size, address) => {
		const Stripe = peer<new (key: string, options: object) => Stripe>('stripe');
		const [host, port] = address.split(':');
		const client = new Stripe('sk_test_bench', { host, port: Number(port), protocol: 'http', telemetry: false });
		return calls(size, atOnce, (number) => client.customers.retrieve(`order-${number}`));
	},
});
