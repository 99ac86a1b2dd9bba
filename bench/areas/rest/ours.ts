import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Account, type Client, type OrderPorts } from '@partner-exchange/core';
import { fileJournal, nodePorts } from '@partner-exchange/core/node';
import type { Contestant } from '../../area';
import { calls } from './load';

const KEY = 'bench-key';
const ORDER = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.25' };
const BODY = JSON.stringify(ORDER);

const clientOf = (address: string, extras: OrderPorts = {}): Client => {
	const [baseUrl, wsUrl] = [`http://${address}/v1`, `ws://${address}/v1/ws`];
	const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: KEY };
	return createClient(account, nodePorts(), extras);
};

/** The HTTP port of the client: what every call goes through, and nothing else. */
export const port = (atOnce: number): Contestant => ({
	title: 'ours, HTTP alone',
	run: (size, address) => {
		const { send } = nodePorts();
		const url = `http://${address}/v1/partner/exchange/orders`;
		const headers = { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': KEY };
		return calls(size, atOnce, async (number) => {
			const request = { method: 'POST', url, headers: { ...headers, 'idempotency-key': `bench-${number}` } };
			const { status, body } = await send({ ...request, body: BODY, timeoutMs: 15_000 });
			if (status !== 201) throw new Error(`Answered with ${status}`);
			JSON.parse(body);
		});
	},
});

/** A whole call: inputs checked, sent, the answer read exactly and looked through. */
export const read = (atOnce: number): Contestant => ({
	title: 'ours, a whole read',
	run: (size, address) => {
		const client = clientOf(address);
		return calls(size, atOnce, (number) => client.call('order.get', { order_id: `order-${number}` }));
	},
});

/** An order with its machine: identity, checks, one attempt, its outcome. */
export const create = (atOnce: number): Contestant => ({
	title: 'ours, an order placed once',
	run: (size, address) => {
		const client = clientOf(address);
		return calls(size, atOnce, (number) => placeOrder(client, number));
	},
});

/** The same, and on the disk before it is sent. */
export const journaled = (atOnce: number): Contestant => ({
	title: 'ours, an order placed once, with a journal on disk',
	run: async (size, address) => {
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		const client = clientOf(address, { journal: fileJournal(join(folder, 'journal')) });
		return calls(size, atOnce, (number) => placeOrder(client, number));
	},
});

const placeOrder = (client: Client, number: number): Promise<unknown> =>
	client.call('order.create', ORDER, { intent: `bench-${number}` });
