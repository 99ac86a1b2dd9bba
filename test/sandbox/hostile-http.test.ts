import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startSandbox } from '@partner-exchange/sandbox';
import { BODY_BYTES_MAX } from '../../packages/sandbox/src/server/http';
import { forAll } from '../support/opened';

const sandbox = forAll(() => startSandbox({ seed: 1 }));
const sockets: Socket[] = [];
afterAll(() => sockets.forEach((socket) => socket.destroy()));

async function open(): Promise<Socket> {
	const { hostname, port } = new URL(sandbox.url);
	const socket = connect(Number(port), hostname);
	sockets.push(socket);
	socket.on('error', () => undefined);
	await once(socket, 'connect');
	return socket;
}

/** The response to raw bytes, until the connection ends. */
async function answerTo(...parts: string[]): Promise<string> {
	const socket = await open();
	let text = '';
	socket.on('data', (chunk) => (text += String(chunk)));
	for (const part of parts) socket.write(part);
	socket.end();
	if (!socket.closed) await new Promise((closed) => socket.once('close', closed));
	return text;
}

const probe = async (): Promise<number> =>
	(await fetch(`${sandbox.baseUrl}/partner/exchange/markets`, { headers: { 'x-api-key': 'sandbox-key' } })).status;
const POST =
	'POST /v1/partner/exchange/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: sandbox-key\r\nContent-Type: application/json\r\n';

describe('the sandbox', () => {
	it('serves others while hundreds of connections send nothing more', async () => {
		const waiting = await Promise.all(Array.from({ length: 300 }, open));
		for (const socket of waiting)
			socket.write('GET /v1/partner/exchange/markets HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
		expect(await probe()).toBe(200);
		waiting.forEach((socket) => socket.destroy());
	});

	it.each([
		['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`],
		[
			'a length and chunks',
			`${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/partner/wallets/banks HTTP/1.1\r\n`,
		],
		['chunks said twice', `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
		['chunks said oddly', `${POST}Transfer-Encoding: \tchunked, x\r\n\r\n0\r\n\r\n`],
		['bare line feeds', POST.replaceAll('\r\n', '\n') + '\n'],
		['a negative length', `${POST}Content-Length: -1\r\n\r\n`],
		['a space before the colon', `${POST}Content-Length : 2\r\n\r\n{}`],
		['a chunk without an end', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
	])('refuses a request with %s, and reads no second request from it', async (_, bytes) => {
		const before = sandbox.requests.length;
		const answer = await answerTo(bytes);
		expect(answer.match(/HTTP\/1\.1 (\d+)/g) ?? []).toEqual(answer === '' ? [] : ['HTTP/1.1 400']);
		expect(sandbox.requests.length).toBe(before);
		expect(await probe()).toBe(200);
	});

	it('reads a body up to the limit and refuses a longer one, with its length and without', async () => {
		const sent = async (bytes: number, end: string): Promise<string[]> => [
			await answerTo(`${POST}Content-Length: ${bytes}\r\n\r\n`, 'x'.repeat(bytes)),
			await answerTo(
				`${POST}Transfer-Encoding: chunked\r\n\r\n`,
				`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n${end}`,
			),
		];
		for (const answer of await sent(BODY_BYTES_MAX, '0\r\n\r\n')) expect(answer).toMatch(/^HTTP\/1\.1 400/);
		// Node may end the connection before its answer is on the way.
		for (const answer of await sent(BODY_BYTES_MAX + 1, '')) expect(answer).toMatch(/^(HTTP\/1\.1 413|$)/);
		expect(await probe()).toBe(200);
	});
});
