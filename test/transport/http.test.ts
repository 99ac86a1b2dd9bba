import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { SendHttp } from '@partner-exchange/core';
import { openPort } from '../support/loopback';
import { adapters, failureOf, get } from './adapters';

const MEBIBYTE = 1024 * 1024;
/** The bytes that may be buffered in sockets and pipes when reading stops. */
const ON_THE_WAY_MAX = 32 * MEBIBYTE;

interface Raw {
	url: string;
	/** Resolves when a connection of the client has ended. */
	ended: Promise<void>;
	/** Bytes passed to the client so far. */
	written(): number;
	close(): void;
}

/** A server that responds to each request with its own bytes. */
async function serve(answer: (socket: Socket) => void): Promise<Raw> {
	const sockets = new Set<Socket>();
	let end = (): void => undefined;
	const ended = new Promise<void>((resolve) => (end = resolve));
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined);
		socket.on('close', () => end());
		socket.once('data', () => answer(socket));
	});
	const port = await openPort(server);
	return {
		...{ url: `http://127.0.0.1:${port}/v1/x`, ended },
		written: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
		close: () => {
			sockets.forEach((socket) => socket.destroy());
			server.close();
		},
	};
}

/** One byte after the other, endlessly. */
function trickle(socket: Socket, text: string): void {
	let at = 0;
	const timer = setInterval(() => socket.write(text[at++] ?? ' '), 5);
	socket.on('close', () => clearInterval(timer));
}

/** As fast as the client reads, endlessly. */
function flood(socket: Socket, chunk: Buffer): void {
	const more = (): void => {
		while (!socket.destroyed && socket.write(chunk));
	};
	socket.on('drain', more);
	more();
}

const headers = (...more: string[]): string => ['HTTP/1.1 200 OK', ...more, '', ''].join('\r\n');

describe.each(adapters)('HTTP in %s', (name, make) => {
	let send: SendHttp;
	let raw: Raw | undefined;
	beforeAll(async () => void (send = await make()));
	afterEach(() => raw?.close());

	it.each([
		['head', (socket: Socket) => trickle(socket, `${headers('Content-Length: 100000')}{`)],
		[
			'body',
			(socket: Socket) => {
				socket.write(headers('Content-Length: 100000'));
				trickle(socket, '{');
			},
		],
	])('ends a call whose %s comes one byte at a time, and its connection', async (_, answer) => {
		raw = await serve(answer);
		expect(await failureOf(send(get(raw.url, { timeoutMs: 400 })))).toEqual({ reason: 'timeout', sent: 'perhaps' });
		await raw.ended;
	});

	it('ends a call that is stopped while its body is read, and its connection', async () => {
		const stop = new AbortController();
		raw = await serve((socket) => {
			socket.write(`${headers('Content-Length: 100')}{`);
			setImmediate(() => stop.abort());
		});
		expect(await failureOf(send(get(raw.url, { signal: stop.signal })))).toEqual({
			reason: 'aborted',
			sent: 'perhaps',
		});
		await raw.ended;
	});

	it('sends nothing for a call that was stopped before', async () => {
		raw = await serve((socket) => socket.end());
		const call = send(get(raw.url, { signal: AbortSignal.abort() }));
		expect(await failureOf(call)).toEqual({ reason: 'aborted', sent: 'never' });
	});

	it('reads no further than the limit, whatever length is announced', async () => {
		for (const length of ['Transfer-Encoding: identity', `Content-Length: ${1024 * MEBIBYTE}`]) {
			raw = await serve((socket) => {
				socket.write(headers(length, 'Connection: close'));
				flood(socket, Buffer.alloc(64 * 1024, '7'));
			});
			expect(await failureOf(send(get(raw.url)))).toEqual({ reason: 'too_large', sent: 'perhaps' });
			await raw.ended;
			expect(raw.written()).toBeLessThan(ON_THE_WAY_MAX);
			raw.close();
		}
	});

	it('unpacks no further than the limit: a gibibyte stays packed', async () => {
		const member = gzipSync(Buffer.alloc(16 * MEBIBYTE));
		const packed = Buffer.concat(Array.from({ length: 64 }, () => member));
		raw = await serve((socket) => {
			socket.write(headers('Content-Encoding: gzip', `Content-Length: ${packed.length}`));
			socket.write(packed);
		});
		const before = process.memoryUsage().rss;
		expect(await failureOf(send(get(raw.url)))).toEqual({ reason: 'too_large', sent: 'perhaps' });
		expect(process.memoryUsage().rss - before).toBeLessThan(256 * MEBIBYTE);
	});

	it('reads as much as the request allows, and no more', async () => {
		const body = 'x'.repeat(6 * MEBIBYTE);
		for (const bytesMax of [body.length, body.length - 1]) {
			raw = await serve((socket) => {
				socket.write(headers(`Content-Length: ${body.length}`));
				socket.write(body);
			});
			const call = send(get(raw.url, { bytesMax }));
			if (bytesMax === body.length) expect((await call).body === body).toBe(true);
			else expect(await failureOf(call)).toEqual({ reason: 'too_large', sent: 'perhaps' });
			raw.close();
		}
	});

	it('says that a call may have been sent when its answer is cut short', async () => {
		raw = await serve((socket) => void socket.end(`${headers('Content-Length: 100')}{`));
		expect(await failureOf(send(get(raw.url)))).toEqual({ reason: 'reset', sent: 'perhaps' });
	});

	it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE'])(
		'says that a call may have been sent when %s comes while its answer is awaited',
		async (code) => {
			const client: { socket?: Socket } = {};
			/** Ends the client's side as Node does when the network reports this error during a read. */
			raw = await serve(() => {
				const error = Object.assign(new Error(`read ${code}`), { code, syscall: 'read', errno: -1 });
				client.socket!.destroy(error);
			});
			const breaks = (message: unknown): void => void (client.socket = (message as { socket: Socket }).socket);
			subscribe('net.client.socket', breaks);
			try {
				expect(await failureOf(send(get(raw.url)))).toMatchObject({ sent: 'perhaps' });
			} finally {
				unsubscribe('net.client.socket', breaks);
			}
		},
	);

	it('proves that nothing was sent when nobody listens, and when the name does not resolve', async () => {
		raw = await serve(() => undefined);
		raw.close();
		expect(await failureOf(send(get(raw.url)))).toEqual({ reason: 'refused', sent: 'never' });
		expect(await failureOf(send(get('http://exchange.invalid/v1/x')))).toEqual({ reason: 'name', sent: 'never' });
	});

	it(`keeps nothing of what ${name} put into its error`, async () => {
		raw = await serve((socket) => void socket.destroy());
		const error: unknown = await send(get(raw.url, { headers: { 'x-api-key': 'canary-7f3a' } })).catch(
			(reason: unknown) => reason,
		);
		expect(Object.keys(error as object).sort()).toEqual(['name', 'reason', 'sent']);
		expect((error as Error).cause).toBeUndefined();
	});
});
