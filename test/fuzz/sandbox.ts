/** The sandbox over its port: whatever is sent to it, it responds properly and stays available. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { operationIds, operationOf, routeOf } from '@partner-exchange/core/catalogue';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import WebSocket from 'ws';
import { hostileFrame, hostileText, hostileValue } from './hostile';
import type { Target } from './target';

const KEY = 'sandbox-key';
/** A response that takes longer counts as missing. */
const ANSWER_MS_MAX = 30_000;

let sandbox: Sandbox;

/** Uses one sandbox for all runs, so that damage done by one run shows in the next. */
export async function withSandbox(use: () => Promise<void>): Promise<void> {
	sandbox = await startSandbox({ seed: 1, requestsPerSecond: 1e6, messagesPerSecond: 1e6 });
	try {
		await use();
	} finally {
		await sandbox.close();
	}
}

async function assertAlive(): Promise<void> {
	const response = await fetch(`${sandbox.baseUrl}/partner/exchange/markets`, { headers: { 'x-api-key': KEY } });
	assert.equal(response.status, 200);
}

const routes = operationIds.flatMap((id) => routeOf(operationOf(id)) ?? []);
const part = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.constantFrom('..', '%2e', '%', 'a'.repeat(5_000)),
);

async function request(route: string, inPath: string, query: string, body: string): Promise<void> {
	const [method, template] = route.split(' ') as [string, string];
	const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(inPath));
	const headers = { 'x-api-key': KEY, 'content-type': 'application/json', 'idempotency-key': 'fuzz' };
	const url = `${sandbox.baseUrl}${path}?${new URLSearchParams({ limit: query, pair_id: inPath })}`;
	const signal = AbortSignal.timeout(ANSWER_MS_MAX);
	const response = await fetch(url, {
		method,
		headers,
		signal,
		...(method === 'GET' || method === 'DELETE' ? {} : { body }),
	});
	assert(response.status < 500, `${route} answered ${response.status}`);
	if (response.status !== 204) JSON.parse(await response.text());
}

/** Bytes that are almost HTTP, and a connection that ends in the middle of them. */
async function rawBytes(head: string, rest: string): Promise<void> {
	const { port, hostname } = new URL(sandbox.url);
	const socket = connect(Number(port), hostname);
	socket.on('error', () => undefined);
	await once(socket, 'connect');
	socket.resume().end(`${head}${rest}`);
	if (!socket.closed) await once(socket, 'close', { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
	await assertAlive();
}

async function messages(texts: readonly string[]): Promise<void> {
	const socket = new WebSocket(`${sandbox.wsUrl}?token=${KEY}`);
	socket.on('error', () => undefined);
	await once(socket, 'open');
	for (const text of texts) if (socket.readyState === WebSocket.OPEN) socket.send(text);
	const closed = once(socket, 'close', { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
	socket.close();
	await closed;
	await assertAlive();
}

/** An arbitrary data file is opened, or refused with one sentence; the start must not fail in any other way. */
async function dataFile(bytes: Uint8Array): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'fuzz-data-'));
	try {
		const file = join(folder, 'sandbox.db');
		await writeFile(file, bytes);
		const started = await startSandbox({ data: file, marketMaker: false }).catch((error: unknown) => error);
		if (started instanceof Error) assert(started.message.length > 20, `it said no more than ${started.message}`);
		else await (started as Sandbox).close();
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

const command = fc
	.tuple(fc.constantFrom('order_create', 'order_cancel', 'order_replace', 'unheard'), hostileValue, hostileText)
	.map(([action, value, id]) =>
		JSON.stringify({
			...{
				type: 'command',
				request_id: id.slice(0, 200),
				action,
				pair_id: 'USD/NGN',
				order_id: value,
				quantity: value,
			},
			...{ price: value, side: 'buy', order_type: 'limit', client_order_id: value, idempotency_key: id.slice(0, 300) },
		}),
	);

export const sandboxTargets: Target[] = [
	{
		name: 'sandbox requests',
		cost: 20,
		property: fc.asyncProperty(fc.constantFrom(...routes), part, part, hostileText, request),
	},
	{
		name: 'sandbox bytes',
		cost: 40,
		property: fc.asyncProperty(
			fc.constantFrom(
				'',
				'GET /v1/ws HTTP/1.1\r\n',
				'GET // HTTP/1.1\r\nHost: 127.0.0.1\r\n',
				'POST /v1/partner/exchange/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n',
				'GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n',
			),
			fc.string({ unit: 'binary' }),
			rawBytes,
		),
	},
	{
		name: 'sandbox messages and commands',
		cost: 40,
		property: fc.asyncProperty(fc.array(fc.oneof(hostileFrame, command), { minLength: 1, maxLength: 10 }), messages),
	},
	{
		name: 'sandbox data files',
		cost: 60,
		property: fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), dataFile),
	},
];
