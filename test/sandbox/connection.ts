import { startSandbox, type Sandbox, type SandboxOptions } from '@partner-exchange/sandbox';
import { WebSocket } from 'ws';
import { until } from '../support/condition';
import { forEach } from '../support/opened';

/** A sandbox and its clients over real sockets, closed after each test. No code of our own client is involved. */

const open: { close(): unknown }[] = [];

afterEach(async () => {
	for (const entry of open.splice(0).reverse()) await entry.close();
});

/** The sandbox's clock waits for `advance`, so that no test waits in real time. */
export async function sandboxFor(options: SandboxOptions = {}): Promise<Sandbox> {
	const sandbox = await startSandbox({ clock: 'virtual', ...options });
	open.push(sandbox);
	return sandbox;
}

/** A sandbox as `sandboxFor` opens it, another one for each test. */
export const sandboxForEach = (): Sandbox => forEach(() => startSandbox({ clock: 'virtual' }));

export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	// Responses are untyped here; the tests check their shape.
	json: Json;
}

export type Json = { [name: string]: Json } & Json[] & string;

export interface Asking {
	key?: string | null;
	body?: string | object;
	headers?: Record<string, string>;
}

export async function ask(
	sandbox: Sandbox,
	line: string,
	{ key = 'sandbox-key', body, headers }: Asking = {},
): Promise<Answer> {
	const [method, path] = line.split(' ', 2) as [string, string];
	const response = await fetch(sandbox.baseUrl + path, {
		method,
		redirect: 'error',
		headers: {
			...(key === null ? {} : { 'x-api-key': key }),
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...headers,
		},
		body: typeof body === 'object' ? JSON.stringify(body) : body,
	});
	const text = await response.text();
	return {
		status: response.status,
		headers: response.headers,
		text,
		json: text.startsWith('{') ? (JSON.parse(text) as Json) : (null as unknown as Json),
	};
}

/** What the control answers, such as to `POST clock`. */
export async function control(sandbox: Sandbox, line: string, body?: object): Promise<{ status: number; json: Json }> {
	const [method, path] = line.split(' ') as [string, string];
	const headers = { 'content-type': 'application/json' };
	const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
		method,
		headers,
		body: body && JSON.stringify(body),
	});
	return { status: response.status, json: (await response.json()) as Json };
}

let keyCount = 0;

/** A limit buy of 10.00 at 1500.00 by default. */
export const limit = (fields: object = {}) => ({
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '10.00',
	price: '1500.00',
	...fields,
});

export const create = (sandbox: Sandbox, body: string | object, { headers, ...asking }: Asking = {}): Promise<Answer> =>
	ask(sandbox, 'POST /partner/exchange/orders', {
		body,
		headers: { 'idempotency-key': `test-${++keyCount}`, ...headers },
		...asking,
	});

/** Places an order, lets it take effect and reads it. */
export async function place(sandbox: Sandbox, fields: object = {}, key = 'sandbox-key'): Promise<Json> {
	const { json, status, text } = await create(sandbox, limit(fields), { key });
	if (status !== 201) throw new Error(`The order was refused with ${status}: ${text}`);
	sandbox.advance(10);
	return read(sandbox, json.data!.order_id!, key);
}

export const read = async (sandbox: Sandbox, id: string, key = 'sandbox-key'): Promise<Json> =>
	(await ask(sandbox, `GET /partner/exchange/orders/${id}`, { key })).json.data as Json;

export async function balance(sandbox: Sandbox, currency: 'NGN' | 'USD', key = 'sandbox-key') {
	const { json } = await ask(sandbox, 'GET /partner/wallets/balances/overview', { key });
	return (json.data!.balances as Json[]).find((row) => row.currency === currency) as Json;
}

export interface Line {
	heard: Json[];
	send(message: object | string): void;
	/** The first matching message, received already or later. */
	hears(fits: (message: Json) => boolean, what: string): Promise<Json>;
	closed(): boolean;
	close(): void;
	socket: WebSocket;
}

/** A WebSocket that records its messages. */
export async function listenTo(sandbox: Sandbox, token?: string): Promise<Line> {
	const socket = new WebSocket(token === undefined ? sandbox.wsUrl : `${sandbox.wsUrl}?token=${token}`);
	const heard: Json[] = [];
	socket.on('message', (data) => heard.push(JSON.parse(String(data)) as Json));
	await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
	open.push({ close: () => socket.terminate() });
	return {
		heard,
		socket,
		send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
		hears: (fits, what) => until(() => heard.find(fits), { what, seen: () => heard }),
		closed: () => socket.readyState === WebSocket.CLOSED,
		close: () => socket.close(),
	};
}

/** Sends a command and returns its acknowledgement or error. */
export async function command(line: Line, fields: object): Promise<Json> {
	const id = `request-${++keyCount}`;
	line.send({ type: 'command', request_id: id, pair_id: 'USD/NGN', ...fields });
	return line.hears(
		(message) => message.request_id === ((fields as { request_id?: string }).request_id ?? id),
		'the answer to a command',
	);
}

export async function subscribe(line: Line, topics: string[], more: object = {}): Promise<Json> {
	const before = line.heard.length;
	line.send({ type: 'subscribe', topics, ...more });
	return line.hears(
		(message) => message.type === 'subscribed' && line.heard.indexOf(message) >= before,
		'the confirmation',
	);
}

export const eventsOf = (line: Line, topic: string): Json[] =>
	line.heard.filter((message) => message.type === 'data' && message.topic === topic);
