import { createServer, connect } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { OpenSocket } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { openPort } from '../support/loopback';
import { hostSocket } from '../../nodes/shared/host/ports';
import { n8nHelpers } from './adapters';
import { forAll } from '../support/opened';

const { openSocket: wsSocket } = nodePorts();

const MEBIBYTE = 1024 * 1024;
const TOO_LARGE = 1009;
const sockets: [string, OpenSocket][] = [
	['plain Node', wsSocket],
	['n8n', (url, handlers) => hostSocket({ helpers })(url, handlers)],
];
const helpers = forAll(() => n8nHelpers());
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** A stream server that handles each connection as it likes. */
async function serve(use: (socket: WebSocket) => void): Promise<number> {
	const server = createServer();
	const http = (await import('node:http')).createServer();
	const stream = new WebSocketServer({ server: http, perMessageDeflate: { threshold: 0 }, maxPayload: 0 });
	stream.on('connection', use);
	closers.push(() => (stream.clients.forEach((client) => client.terminate()), http.close(), server.close()));
	return await openPort(http);
}

/** Forwards the stream's bytes one at a time. */
async function sliced(port: number): Promise<number> {
	const server = createServer((near) => {
		const far = connect(port, '127.0.0.1');
		near.setNoDelay(true);
		near.on('error', () => undefined).pipe(far);
		far.on('error', () => undefined);
		far.on('close', () => near.destroy());
		far.on('data', (chunk) => {
			for (const byte of chunk) near.write(Buffer.of(byte));
		});
		near.on('close', () => far.destroy());
	});
	closers.push(() => server.close());
	return await openPort(server);
}

interface Heard {
	texts: string[];
	code?: number;
}

/** What a socket receives until it is closed, or until this many messages. */
const listen = (open: OpenSocket, port: number, messages = Number.POSITIVE_INFINITY) =>
	new Promise<Heard>((resolve) => {
		const heard: Heard = { texts: [] };
		const socket = open(`ws://127.0.0.1:${port}/v1/ws`, {
			opened: () => socket.send('ready'),
			messages: (texts) => {
				heard.texts.push(...texts);
				if (heard.texts.length < messages) return;
				socket.terminate();
				resolve(heard);
			},
			closed: ({ code }) => resolve({ ...heard, ...(code === undefined ? {} : { code }) }),
		});
	});

describe.each(sockets)('a socket of %s', (_, open) => {
	it('reads a message that comes one byte at a time as it was sent', async () => {
		const said = [JSON.stringify({ type: 'data', topic: 'user.fills', data: { id: 'ü€😀' } }), '{}', 'x'.repeat(3_000)];
		const port = await serve((socket) =>
			socket.once('message', () => said.forEach((text) => socket.send(text, { compress: false }))),
		);
		expect((await listen(open, await sliced(port), said.length)).texts).toEqual(said);
	});

	it('reads a binary message as its text, ignores one that is no UTF-8, and continues', async () => {
		const said = '{"type":"data","data":"ü€😀"}';
		const port = await serve((socket) =>
			socket.once('message', () => {
				socket.send(Buffer.from(said), { binary: true });
				socket.send(Buffer.from([0xff, 0xfe, 0x7b]), { binary: true });
				socket.ping('a');
				socket.send('text');
				socket.send(Buffer.from('last'), { binary: true });
			}),
		);
		expect(await listen(open, port, 3)).toEqual({ texts: [said, 'text', 'last'] });
	});

	it('ends the connection at a message of two mebibytes, and keeps nothing of it', async () => {
		const port = await serve((socket) =>
			socket.once('message', () => socket.send('x'.repeat(2 * MEBIBYTE), { compress: false })),
		);
		const heard = await listen(open, port);
		expect(heard.texts).toEqual([]);
		expect([TOO_LARGE, 1006]).toContain(heard.code);
	});
});

describe('a message that is packed', () => {
	it('asks for no compression in plain Node, and ends the connection at a compressed message', async () => {
		const requested: (string | undefined)[] = [];
		const http = (await import('node:http')).createServer();
		const stream = new WebSocketServer({ server: http });
		stream.on('connection', (socket, request) => {
			requested.push(request.headers['sec-websocket-extensions']);
			// A text frame marked as compressed.
			socket.once('message', () =>
				(socket as unknown as { _socket: NodeJS.WritableStream })._socket.write(Buffer.from([0xc1, 0x02, 0x4b, 0x04])),
			);
		});
		closers.push(() => (stream.clients.forEach((client) => client.terminate()), http.close()));
		const before = process.memoryUsage().rss;
		expect(await listen(wsSocket, await openPort(http))).toMatchObject({ texts: [] });
		expect(requested).toEqual([undefined]);
		expect(process.memoryUsage().rss - before).toBeLessThan(50 * MEBIBYTE);
	});
});
