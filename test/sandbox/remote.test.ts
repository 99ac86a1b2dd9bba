import * as crypto from 'node:crypto';
import { duplexPair } from 'node:stream';
import { startSandbox } from '@partner-exchange/sandbox';
import type { SandboxContext } from '../../packages/sandbox/src/server/context';
import type { ControlRoutes } from '../../packages/sandbox/src/server/control/route';
import { createHttpServer } from '../../packages/sandbox/src/server/http';

/** Which machines can reach the control and the console from another machine. */

/** Every comparison of the token uses this function, so that comparisons can be counted. */
jest.mock('node:crypto', () => {
	const real = jest.requireActual<typeof crypto>('node:crypto');
	return { ...real, timingSafeEqual: jest.fn(real.timingSafeEqual) };
});

const TOKEN = 'a-token-of-the-control';
const routes: ControlRoutes = {
	'GET health': { summary: '', open: true, run: () => ({ status: 'ok' }) },
	'GET state': { summary: '', run: () => ({ ready: true }) },
	'POST reset': { summary: '', run: () => undefined },
};

/** Sends a request with a given remote address; any stream that has one serves as the connection. */
async function from(remoteAddress: string, line: string, { token, headers = {}, allowRemote = true }: Asking = {}) {
	const server = createHttpServer({} as SandboxContext, routes, { allowedHosts: [], allowRemote, controlToken: token });
	const [near, far] = duplexPair();
	server.emit('connection', Object.assign(far, { remoteAddress }));
	const rows = Object.entries({ host: 'sandbox:4010', connection: 'close', ...headers });
	near.write(`${line} HTTP/1.1\r\n${rows.map((each) => each.join(': ')).join('\r\n')}\r\n\r\n`);
	let text = '';
	for await (const chunk of near) text += String(chunk);
	return { status: Number(text.split(' ')[1]), text };
}

interface Asking {
	token?: string;
	headers?: Record<string, string>;
	allowRemote?: boolean;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

describe('the control', () => {
	it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
		'answers this machine (%s) where no token is set',
		async (address) => {
			expect((await from(address, 'GET /_sandbox/state')).status).toBe(200);
		},
	);

	it.each([
		['nothing', {}, 401],
		['the token', bearer(TOKEN), 200],
		['the token as a password', basic(`anybody:${TOKEN}`), 200],
		['another token', bearer('b-token-of-the-control'), 401],
		['the beginning of the token', bearer(TOKEN.slice(0, -1)), 401],
		['a longer one', bearer(`${TOKEN}x`), 401],
		['no token behind the word', { authorization: 'Bearer ' }, 401],
		['a password that is none', basic('anybody:'), 401],
		['another way', { authorization: `Digest ${TOKEN}` }, 401],
	])('asks everybody for the control token, this machine too: %s', async (_what, headers, status) => {
		// A reverse proxy on this machine makes every visitor local.
		for (const address of ['10.0.0.5', '127.0.0.1', '::1']) {
			expect((await from(address, 'GET /_sandbox/state', { token: TOKEN, headers })).status).toBe(status);
			expect((await from(address, 'GET /', { token: TOKEN, headers })).status).toBe(status);
		}
	});

	it.each(['x', TOKEN.slice(0, -1), TOKEN, `${TOKEN}x`, 'x'.repeat(1_000)])(
		'compares %s with the token by digests of one length, in constant time',
		async (token) => {
			const compared = jest.mocked(crypto.timingSafeEqual);
			compared.mockClear();
			await from('10.0.0.5', 'GET /_sandbox/state', { token: TOKEN, headers: bearer(token) });
			expect(compared).toHaveBeenCalledTimes(1);
			for (const [a, b] of compared.mock.calls) expect([a.byteLength, b.byteLength]).toEqual([32, 32]);
		},
	);

	it('stays closed to other machines without a token, and says how to open the control', async () => {
		const { status, text } = await from('10.0.0.5', 'GET /_sandbox/state', { headers: bearer('') });
		expect([status, text]).toEqual([403, expect.stringContaining('--control-token')]);
		expect((await from('10.0.0.5', 'GET /')).status).toBe(403);
	});

	it('answers its health to everybody', async () => {
		expect((await from('10.0.0.5', 'GET /_sandbox/health')).status).toBe(200);
	});

	it.each([
		['a page of another origin', { ...bearer(TOKEN), origin: 'https://evil.example' }],
		['a foreign host', { ...bearer(TOKEN), host: 'evil.example' }],
		['a foreign host with a port', { ...bearer(TOKEN), host: 'evil.example:4010' }],
	])('refuses %s, also with the token', async (_what, headers) => {
		for (const address of ['10.0.0.5', '127.0.0.1'])
			expect((await from(address, 'GET /_sandbox/state', { token: TOKEN, headers })).status).toBe(403);
	});

	it.each(['sandbox:4010', 'host.docker.internal:4010'])(
		'containers call the control %s, once others may come',
		async (host) => {
			expect((await from('127.0.0.1', 'GET /_sandbox/state', { headers: { host } })).status).toBe(200);
			expect((await from('127.0.0.1', 'GET /_sandbox/state', { headers: { host }, allowRemote: false })).status).toBe(
				403,
			);
		},
	);

	it('refuses a token that could be guessed', async () => {
		await expect(startSandbox({ controlToken: 'short' })).rejects.toThrow('at least 16 characters');
	});
});
