import http from 'node:http';
import { createServer, type AddressInfo, type LookupFunction, type Server, type Socket } from 'node:net';
import { TransportError, type HttpResponse, type SendHttp } from '@partner-exchange/core';
import { nodeHttp } from '@partner-exchange/core/node';
import { readAnswer } from '../../packages/core/src/node/answer';
import { failureOf, get } from './adapters';

const BYTES_MAX = 1_000;
const lines = (...all: string[]): string => all.join('\r\n');

/** What is read of bytes that come in these parts, and then end. */
function readOf(parts: readonly string[], bytesMax = BYTES_MAX) {
	const reading = readAnswer(bytesMax);
	reading.next();
	for (const part of [...parts.map((text) => Buffer.from(text, 'latin1')), undefined]) {
		const { done, value } = reading.next(part);
		if (done) return { ...value, body: value.body.toString('latin1') };
	}
	throw new Error('it waits for more after the end');
}

const answers: Record<string, string> = {
	'of a known length': lines('HTTP/1.1 200 OK', 'Content-Length: 4', 'X-A: 1', 'x-a: 2', '', '{ü}'),
	'of no length': lines('HTTP/1.1 201', 'X-Empty:', 'content-length:0', '', ''),
	'in chunks': lines(
		'HTTP/1.1 200 OK',
		'Transfer-Encoding: Chunked',
		'',
		'3',
		'{"a',
		'A;x=y',
		'":"234567"',
		'1',
		'}',
		'0',
		'',
		'',
	),
	'in chunks, with a trailer': lines(
		'HTTP/1.1 200 OK',
		'transfer-encoding: chunked',
		'',
		'2',
		'{}',
		'0',
		'X-Sum: 1',
		'',
		'',
	),
	'to the end of the connection': lines('HTTP/1.1 200 OK', '', '{"a":1}'),
	'of HTTP/1.0': lines('HTTP/1.0 404 Not Found', 'Content-Length: 2', '', '{}'),
	'behind two that only say it will come': lines(
		'HTTP/1.1 100 Continue',
		'',
		'HTTP/1.1 103 Early',
		'Link: x',
		'',
		'HTTP/1.1 200 OK',
		'content-length: 2',
		'',
		'{}',
	),
	'that has no body by its status': lines('HTTP/1.1 204 No Content', 'Connection: keep-alive', '', ''),
};

describe('an answer read from the bytes of a connection', () => {
	let server: Server;
	let bytes = '';
	beforeAll(async () => {
		server = createServer((socket) => socket.once('data', () => socket.end(bytes, 'latin1')));
		await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
	});
	afterAll(() => server.close());

	it.each(Object.entries(answers))("is what Node's own client reads, %s, wherever it is cut", async (_, text) => {
		bytes = text.replace('ü', 'Ã¼');
		const { port } = server.address() as AddressInfo;
		const wanted = await new Promise((resolve, reject) => {
			const request = http.get({ port, agent: false }, (answer) => {
				let body = '';
				answer.setEncoding('latin1').on('data', (part: string) => (body += part));
				answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
			});
			request.on('error', reject);
		});
		expect(readOf([bytes])).toMatchObject(wanted as object);
		for (let cut = 1; cut < bytes.length; cut += 1)
			expect(readOf([bytes.slice(0, cut), bytes.slice(cut)])).toMatchObject(wanted as object);
		expect(readOf([...bytes])).toMatchObject(wanted as object);
	});

	it.each(Object.entries(answers))('is none where it is cut short, %s', (name, text) => {
		const toTheEnd = name.startsWith('to the end') ? text.indexOf('\r\n\r\n') + 4 : text.length;
		for (let end = 0; end < toTheEnd; end += 1) expect(() => readOf([text.slice(0, end)])).toThrow(TransportError);
	});

	it.each([
		['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
		['another version', 'HTTP/2 200 OK\r\n\r\n'],
		['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
		['a change of the protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'],
		['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}1'],
		['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
		['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}'],
		['a length with a fraction', 'HTTP/1.1 200 OK\r\nContent-Length: 2.0\r\n\r\n{}'],
		['a coding nobody asked for', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
		['a chunk of no size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n{}'],
		['a chunk of a size with a sign', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n'],
		[
			'a chunk that is longer than it says',
			'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n',
		],
		['a header on two lines', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n Content-Length: 2\r\n\r\n{}'],
		['a header without a name', 'HTTP/1.1 200 OK\r\n: 2\r\n\r\n{}'],
		['a space behind a name', 'HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}'],
		['a line that ends in half', 'HTTP/1.1 200 OK\r\nX-A: 1\nContent-Length: 2\r\n\r\n{}'],
		['a zero byte in the head', 'HTTP/1.1 200 OK\r\nX-A: \0\r\n\r\n{}'],
		['a head without an end', `HTTP/1.1 200 OK\r\nX-A: ${'1'.repeat(20_000)}`],
	])('is none with %s', (_, text) => {
		expect(() => readOf([text])).toThrow(new TransportError('reset', 'perhaps'));
		expect(() => readOf([...text])).toThrow(new TransportError('reset', 'perhaps'));
	});

	it('is too large one byte above the limit, and not at it, however it comes', () => {
		const body = 'x'.repeat(BYTES_MAX);
		for (const head of ['Content-Length: 1000', 'Transfer-Encoding: chunked', 'X-A: 1']) {
			const text = `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${head.endsWith('chunked') ? `3e8\r\n${body}\r\n0\r\n\r\n` : body}`;
			expect(readOf([text]).body).toBe(body);
			expect(() => readOf([text], BYTES_MAX - 1)).toThrow(new TransportError('too_large', 'perhaps'));
			expect(() => readOf([...text], BYTES_MAX - 1)).toThrow(new TransportError('too_large', 'perhaps'));
		}
	});
});

describe('the connections of plain Node', () => {
	const servers: Server[] = [];
	let sockets: Socket[] = [];
	let requests: string[] = [];
	afterEach(() => {
		sockets.forEach((socket) => socket.destroy());
		servers.splice(0).forEach((server) => server.close());
		[sockets, requests] = [[], []];
	});

	/** Answers each request with these bytes, or leaves it to the test. */
	async function serve(answer: ((socket: Socket, request: string) => void) | string): Promise<string> {
		const server = createServer((socket) => {
			sockets.push(socket);
			socket.on('error', () => undefined);
			socket.on('data', (bytes) => {
				requests.push(String(bytes));
				if (typeof answer === 'string') socket.write(answer);
				else answer(socket, String(bytes));
			});
		});
		servers.push(server);
		await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x`;
	}
	const answering = (body: string, ...more: string[]): string =>
		lines('HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...more, '', body);
	const twice = async (send: SendHttp, url: string): Promise<HttpResponse> => {
		await send(get(url));
		return send(get(url));
	};

	it('carry one request after the other', async () => {
		const url = await serve(answering('{}'));
		expect(await twice(nodeHttp(), url)).toEqual({ status: 200, headers: { 'content-length': '2' }, body: '{}' });
		expect(sockets).toHaveLength(1);
	});

	it.each([
		['that says it is the last one', answering('{}', 'Connection: close')],
		['that goes on behind its end', `${answering('{}')}HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"b":"x"}`],
		['of a service that keeps none for a second', answering('{}', 'Keep-Alive: timeout=1')],
	])('carry no other request after an answer %s', async (_, answer) => {
		expect(await twice(nodeHttp(), await serve(answer))).toMatchObject({ body: '{}' });
		expect(sockets).toHaveLength(2);
	});

	it('are 64 at most, and each call has its own answer', async () => {
		const held: [Socket, string][] = [];
		let full = (): void => undefined;
		const filled = new Promise<void>((resolve) => (full = resolve));
		const url = await serve((socket, request) => {
			const [, path = ''] = request.split(' ');
			if (sockets.length < 64 || held.length < 63) return void held.push([socket, path]);
			[...held.splice(0), [socket, path] as const].forEach(([each, name]) => each.write(answering(name)));
			full();
		});
		const send = nodeHttp();
		const calls = Array.from({ length: 64 }, (_, index) => send(get(`${url}/${index}`)));
		await filled;
		expect((await Promise.all(calls)).map(({ body }) => body)).toEqual(calls.map((_, index) => `/v1/x/${index}`));
		expect(sockets).toHaveLength(64);
	});

	it('let a call wait where all are taken, which sends nothing if it is stopped before its turn', async () => {
		const url = await serve(() => undefined);
		const send = nodeHttp();
		const taken = Array.from({ length: 64 }, () => failureOf(send(get(url))));
		const stop = new AbortController();
		const late = failureOf(send(get(`${url}/late`, { signal: stop.signal })));
		const next = send(get(`${url}/next`));
		stop.abort();
		expect(await late).toEqual({ reason: 'aborted', sent: 'never' });
		while (sockets.length < 64) await new Promise(setImmediate);
		sockets[0]!.destroy();
		while (!requests.some((request) => request.includes('/next'))) await new Promise(setImmediate);
		sockets.at(-1)!.write(answering('{}'));
		expect(await next).toMatchObject({ status: 200 });
		sockets.forEach((socket) => socket.destroy());
		await Promise.all(taken);
		expect(requests.some((request) => request.includes('/late'))).toBe(false);
	});

	it('get no byte of a call that is stopped before one stands', async () => {
		const url = await serve(answering('{}'));
		let resolved = (): void => undefined;
		const lookup: LookupFunction = (_, __, callback) => {
			resolved = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
		};
		const send = nodeHttp(lookup);
		const stop = new AbortController();
		const call = failureOf(send(get(url.replace('127.0.0.1', 'exchange.test'), { signal: stop.signal })));
		stop.abort();
		expect(await call).toEqual({ reason: 'aborted', sent: 'never' });
		resolved();
		await send(get(url));
		expect(requests).toHaveLength(1);
	});
});
