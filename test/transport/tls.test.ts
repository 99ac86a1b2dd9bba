import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import WebSocket, { WebSocketServer } from 'ws';
import type { OpenSocket } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { openPort } from '../support/loopback';
import { hostSocket } from '../../nodes/shared/host/ports';
import { adapters, failureOf, get, n8nHelpers } from './adapters';

const { openSocket: wsSocket } = nodePorts();

const KEY = 'canary-7f3a';
const pem = (name: string): string => readFileSync(join(__dirname, '../fixtures/tls', `${name}.pem`), 'utf8');

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A TLS server that keeps every byte it can read, and responds to a request. */
async function serve(options: TlsOptions): Promise<{ port: number; read: () => string }> {
	let read = '';
	const server = createServer(options, (socket) => {
		socket.on('error', () => undefined);
		socket.on('data', (chunk) => {
			read += String(chunk);
			socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
		});
	});
	server.on('tlsClientError', () => undefined);
	return { port: await listen(server), read: () => read };
}

async function listen(server: Server): Promise<number> {
	servers.push(server);
	return await openPort(server);
}

const certified = (name: string): TlsOptions => ({ key: pem(name), cert: pem(name) });

const sockets: [string, () => Promise<OpenSocket>][] = [
	['plain Node', () => Promise.resolve(wsSocket)],
	['n8n', async () => hostSocket({ helpers: await n8nHelpers() })],
];

describe('a connection that cannot be trusted', () => {
	const before = getCACertificates('default');
	beforeAll(() => setDefaultCACertificates([...before, pem('authority')]));
	afterAll(() => setDefaultCACertificates(before));

	const old = 'DEFAULT:@SECLEVEL=0';
	const untrusted: [string, string, TlsOptions][] = [
		['a certificate of nobody', 'certificate', certified('self-signed')],
		['a certificate of another host', 'certificate', certified('other-host')],
		['a certificate of the past', 'certificate', certified('expired')],
		['TLS 1.1', 'handshake', { ...certified('good'), ciphers: old, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }],
		['TLS 1.0', 'handshake', { ...certified('good'), ciphers: old, minVersion: 'TLSv1', maxVersion: 'TLSv1' }],
	];

	describe.each(adapters)('in %s', (_, make) => {
		it.each(untrusted)('gets no byte of a request: %s', async (_name, reason, options) => {
			const { port, read } = await serve(options);
			const send = await make();
			const call = send(get(`https://localhost:${port}/v1/x`, { headers: { 'x-api-key': KEY } }));
			expect(await failureOf(call)).toEqual({ reason, sent: 'never' });
			expect(read()).toBe('');
		});

		it('sends no byte of a request where plain http answers', async () => {
			let read = '';
			const plain = createTcpServer((socket) => {
				socket.on('error', () => undefined);
				socket.on('data', (chunk) => {
					read += String(chunk);
					socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
				});
			});
			const send = await make();
			const call = send(get(`https://localhost:${await listen(plain)}/v1/x`, { headers: { 'x-api-key': KEY } }));
			expect(await failureOf(call)).toMatchObject({ sent: 'never' });
			expect(read).not.toContain(KEY);
		});

		it('distinguishes a trusted connection from one that is not', async () => {
			const { port, read } = await serve(certified('good'));
			const send = await make();
			const answer = await send(get(`https://localhost:${port}/v1/x`, { headers: { 'x-api-key': KEY } }));
			expect(answer).toMatchObject({ status: 200, body: '{}' });
			expect(read()).toContain(KEY);
		});
	});

	it('reads text messages without ws over a trusted connection', async () => {
		const emit = jest.spyOn(WebSocket.prototype, 'emit');
		const server = createHttpsServer(certified('good'));
		const said = Array.from({ length: 2_000 }, (_, index) => `${index} ${'ü'.repeat(index % 100)}`);
		new WebSocketServer({ server }).on('connection', (socket) => {
			for (const text of said) socket.send(text);
			socket.close(1001);
		});
		const port = await listen(server);
		const texts: string[] = [];
		const closed = await new Promise((resolve) => {
			const messages = (heard: readonly string[]): void => void texts.push(...heard);
			wsSocket(`wss://localhost:${port}/v1/ws`, { opened: () => undefined, messages, closed: resolve });
		});
		expect(closed).toEqual({ code: 1001, status: undefined });
		expect(texts).toEqual(said);
		expect(emit.mock.calls.filter(([name]) => (name as string) === 'message')).toEqual([]);
		emit.mockRestore();
	});

	describe.each(sockets)('over a socket in %s', (_name, make) => {
		it('sends no byte of an upgrade, and so no token, to an untrusted host, also when the environment trusts it', async () => {
			const open = await make();
			const { port, read } = await serve(certified('self-signed'));
			for (const trust of [undefined, '0'])
				await trusting(trust, async () => {
					const closed = new Promise((resolve) => {
						const ignored = () => undefined;
						open(`wss://localhost:${port}/v1/ws?token=${KEY}`, { opened: ignored, messages: ignored, closed: resolve });
					});
					await closed;
				});
			expect(read()).toBe('');
		});
	});

	it.each(adapters)('trusts no certificate because the environment says so, in %s', async (_name, make) => {
		const send = await make();
		const { port, read } = await serve(certified('self-signed'));
		await trusting('0', async () => {
			const call = send(get(`https://localhost:${port}/v1/x`, { headers: { 'x-api-key': KEY } }));
			expect(await failureOf(call)).toEqual({ reason: 'certificate', sent: 'never' });
		});
		expect(read()).toBe('');
	});
});

/** Runs with NODE_TLS_REJECT_UNAUTHORIZED set to this. */
async function trusting(value: string | undefined, action: () => Promise<void>): Promise<void> {
	const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
	const set = (to: string | undefined): void => {
		if (to === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		else process.env.NODE_TLS_REJECT_UNAUTHORIZED = to;
	};
	set(value);
	await action().finally(() => set(before));
}
