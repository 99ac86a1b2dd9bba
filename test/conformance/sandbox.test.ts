import { randomUUID } from 'node:crypto';
import WebSocket from 'ws';
import {
	isOrderWrite,
	commandOf,
	controlOf,
	routeOf,
	operationOf,
	type Operation,
} from '@partner-exchange/core/catalogue';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { answerProblems, asyncApiProblems, messageProblems, openApiProblems } from '../support/described';
import { testOperations, type Run, type Target } from './operations';

const headers = { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' };

/** Bare HTTP and WebSocket, without any code of the client, which computes some operations from others. */
const bare = async ({ baseUrl, wsUrl }: Sandbox): Promise<Target> => {
	const run: Run = async (id, input) => {
		const operation = operationOf(id);
		const action = commandOf(operation);
		if (action) return await command(wsUrl, action, input);
		const route = controlOf(operation);
		if (route) return await control(baseUrl, route, input);
		if (operation.run.via === 'lookup') return await resolve(input, run);
		// Operations that this process answers by itself have no route.
		if (operation.run.via === 'process') return { running: false, topics: [] };
		const data = await request(baseUrl, operation, input);
		return operation.list && !Array.isArray(data) ? (data as Record<string, unknown>)[operation.list.at!] : data;
	};
	return { run, close: async () => undefined };
};
testOperations('raw HTTP and WebSocket', bare, {}, (id) => operationOf(id).run.via !== 'composed');

async function request(baseUrl: string, operation: Operation, input: Record<string, unknown>): Promise<unknown> {
	const [method, template] = routeOf(operation)!.split(' ') as [string, string];
	const { body: free, ...rest } = input;
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = String(rest[name]);
		delete rest[name];
		return encodeURIComponent(value);
	});
	const reads = method === 'GET' || method === 'DELETE';
	const query = reads ? `?${new URLSearchParams(rest as Record<string, string>)}` : '';
	const response = await fetch(baseUrl + path + query, {
		method,
		headers: { ...headers, ...(isOrderWrite(operation) ? { 'idempotency-key': randomUUID() } : {}) },
		...(reads ? {} : { body: JSON.stringify({ ...rest, ...(free as object | undefined) }) }),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
	expect([template, answerProblems(method, template, text)]).toEqual([template, []]);
	return text === '' ? { answered: response.status } : JSON.parse(text).data;
}

async function control(baseUrl: string, route: string, input: Record<string, unknown>): Promise<unknown> {
	const [method, path] = route.split(' ') as [string, string];
	const body = method === 'GET' ? {} : { body: JSON.stringify(input) };
	const response = await fetch(new URL(path, baseUrl), { method, headers, ...body });
	if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
	return await response.json();
}

async function resolve({ client_order_id }: Record<string, unknown>, run: Run): Promise<unknown> {
	const orders = (await run('order.list', { limit: 100 })) as Record<string, unknown>[];
	return orders.find((order) => order.client_order_id === client_order_id);
}

function command(wsUrl: string, action: string, fields: Record<string, unknown>): Promise<unknown> {
	const socket = new WebSocket(`${wsUrl}?token=sandbox-key`);
	return new Promise((resolve, reject) => {
		socket.on('error', reject);
		socket.on('open', () => {
			const sent = { type: 'command', request_id: randomUUID(), action, ...fields };
			if (messageProblems(sent).length > 0) reject(new Error(messageProblems(sent).join()));
			socket.send(JSON.stringify(sent));
		});
		socket.on('message', (text) => {
			const message = JSON.parse(String(text));
			if (messageProblems(message).length > 0) reject(new Error(messageProblems(message).join()));
			if (message.type === 'command_ack') resolve(message.data);
			if (message.type === 'command_error') reject(new Error(`${message.code}: ${message.message}`));
		});
	}).finally(() => socket.close());
}

describe('the documents of the exchange', () => {
	it('are valid OpenAPI and AsyncAPI as the sandbox serves them', async () => {
		const sandbox = await startSandbox();
		const read = async (name: string) => (await (await fetch(`${sandbox.url}/_sandbox/${name}`)).json()) as object;
		expect(await openApiProblems(await read('exchange-openapi.json'))).toBe('');
		expect(asyncApiProblems(await read('exchange-asyncapi.json'))).toEqual([]);
		await sandbox.close();
	});

	it('are found wrong by the validators of these tests where a version is missing', async () => {
		expect(await openApiProblems({ openapi: '3.1.0', info: { title: 'no version' }, paths: {} })).toContain('version');
		expect(asyncApiProblems({ asyncapi: '3.0.0', info: { title: 'no version' } }).join()).toContain('version');
		expect(
			answerProblems('GET', '/partner/exchange/orders', '{"status":"success","data":{"orders":[{}]}}'),
		).not.toEqual([]);
		expect(messageProblems({ type: 'data' })).not.toEqual([]);
	});

	it('describe every message of the stream, as the sandbox sends them', async () => {
		const sandbox = await startSandbox({ marketMaker: true, seed: 7 });
		const socket = new WebSocket(`${sandbox.wsUrl}?token=sandbox-key`);
		const heard: { type: string }[] = [];
		const asked = [
			{
				type: 'subscribe',
				topics: ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.USD_NGN'],
				snapshot: true,
			},
			{ type: 'ping' },
			{ type: 'command', request_id: 'r0', action: 'order_cancel', pair_id: 'USD/NGN', order_id: 'unknown' },
			{
				...{ type: 'command', request_id: 'r1', action: 'order_create', pair_id: 'USD/NGN', side: 'buy' },
				...{ order_type: 'market', quantity: '1.00' },
			},
			{ type: 'subscribe', topics: ['no such topic'] },
			{ type: 'unsubscribe', topics: ['user.fills'] },
		];
		for (const message of asked) expect(messageProblems(message)).toEqual([]);
		const all = ['subscribed', 'pong', 'command_error', 'command_ack', 'data', 'error', 'unsubscribed'];
		await new Promise<void>((resolve, reject) => {
			socket.on('error', reject);
			socket.on('open', () => asked.forEach((message) => socket.send(JSON.stringify(message))));
			socket.on('message', (text) => {
				heard.push(JSON.parse(String(text)) as { type: string });
				if (all.every((type) => heard.some((message) => message.type === type))) resolve();
			});
		});
		for (const message of heard) expect([message, messageProblems(message)]).toEqual([message, []]);
		socket.close();
		await sandbox.close();
	});
});
