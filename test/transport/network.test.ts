import { createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { nodeHttp } from '@partner-exchange/core/node';
import { openPort } from '../support/loopback';
import { socketWithin } from '../../packages/core/src/node/socket';
import { success, startWire } from '../support/wire';
import { until } from '../support/condition';
import { failureOf, get } from './adapters';

const KEY = 'canary-7f3a';
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function serve(accept: (socket: Socket) => void): Promise<{ port: number; connections: () => number }> {
	let connections = 0;
	const server = createServer((socket) => {
		connections += 1;
		socket.on('error', () => undefined);
		accept(socket);
	});
	servers.push(server);
	return { port: await openPort(server), connections: () => connections };
}

/** How a socket ended, and what it received before. */
const endOf = (open: ReturnType<typeof socketWithin>, url: string) =>
	new Promise<{ opened: boolean; code?: number }>((resolve) => {
		let opened = false;
		open(url, {
			opened: () => (opened = true),
			messages: () => undefined,
			closed: ({ code }) => resolve({ opened, ...(code === undefined ? {} : { code }) }),
		});
	});

describe('an upgrade', () => {
	it('ends an upgrade whose answer comes one byte at a time, and its connection', async () => {
		let ended = (): void => undefined;
		const end = new Promise<void>((resolve) => (ended = resolve));
		const { port } = await serve((socket) => {
			const answer = 'HTTP/1.1 101 Switching Protocols\r\nX-Long: ';
			let at = 0;
			const timer = setInterval(() => socket.write(answer[at++] ?? 'x'), 5);
			socket.on('close', () => (clearInterval(timer), ended()));
		});
		expect(await endOf(socketWithin(300), `ws://127.0.0.1:${port}/v1/ws`)).toEqual({ opened: false });
		await end;
	});

	it.each([
		['503', '120', 120_000],
		['503', 'Mon, 30 Nov 2026 10:02:00 GMT\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT', 120_000],
		['429', 'soon', undefined],
	])('that is refused with %s says how long to wait, where that is %j', async (status, retryAfter, retryAfterMs) => {
		const { port } = await serve((socket) =>
			socket.once('data', () =>
				socket.end(`HTTP/1.1 ${status} No\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\n\r\n`),
			),
		);
		const closed = await new Promise((resolve) =>
			socketWithin(10_000)(`ws://127.0.0.1:${port}/v1/ws`, {
				opened: () => undefined,
				messages: () => undefined,
				closed: resolve,
			}),
		);
		expect(closed).toEqual({ status: Number(status), retryAfterMs });
	});
});

describe('requests beyond the connections that are kept', () => {
	it('are known as unsent where the time is over while they wait for one', async () => {
		const sockets: Socket[] = [];
		const { port } = await serve((socket) => void sockets.push(socket));
		const send = nodeHttp();
		const request = get(`http://127.0.0.1:${port}/v1/x`);
		const hanging = Array.from({ length: 64 }, () => failureOf(send(request)));
		expect(await failureOf(send({ ...request, timeoutMs: 20 }))).toEqual({ reason: 'timeout', sent: 'never' });
		expect(await failureOf(send({ ...request, signal: AbortSignal.timeout(20) }))).toMatchObject({ sent: 'never' });
		await until(() => sockets.length === 64, { what: 'the connections of the others' });
		sockets.forEach((socket) => socket.destroy());
		expect(new Set((await Promise.all(hanging)).map(({ sent }) => sent))).toEqual(new Set(['perhaps']));
	});
});

describe('a name that leads to another host than it says', () => {
	/** Responds as a malicious DNS server would. */
	const leadingTo =
		(...addresses: string[]): LookupFunction =>
		(_, options, callback) => {
			const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
			return options.all ? callback(null, all) : callback(null, addresses[0]!, all[0]!.family);
		};

	it.each([
		['169.254.169.254'],
		['0.0.0.0'],
		['::'],
		['fe80::1'],
		['fd00:ec2::254'],
		['::ffff:169.254.169.254'],
		['127.0.0.1', '169.254.169.254'],
	])('refuses to connect to a name that resolves to %s', async (...addresses) => {
		const { port, connections } = await serve((socket) => socket.destroy());
		const lookup = leadingTo(...addresses);
		const call = nodeHttp(lookup)(get(`http://exchange.test:${port}/v1/x`, { headers: { 'x-api-key': KEY } }));
		expect(await failureOf(call)).toEqual({ reason: 'forbidden', sent: 'never' });
		expect(await endOf(socketWithin(60_000, lookup), `ws://exchange.test:${port}/v1/ws?token=${KEY}`)).toMatchObject({
			opened: false,
		});
		expect(connections()).toBe(0);
	});

	it('refuses a header that cannot be written before connecting, without showing the key', async () => {
		const call = nodeHttp()(get('http://127.0.0.1:9/v1/x', { headers: { 'x-api-key': `${KEY}\n` } }));
		expect(await failureOf(call)).toEqual({ reason: 'reset', sent: 'perhaps' });
		await expect(call).rejects.not.toThrow(KEY);
	});

	it('connects to a name that resolves to an ordinary address', async () => {
		const wire = await startWire();
		try {
			wire.on('GET /x', success({}));
			const url = wire.url.replace('127.0.0.1', 'exchange.test');
			expect(await nodeHttp(leadingTo('127.0.0.1'))(get(`${url}/x`))).toMatchObject({ status: 200 });
		} finally {
			await wire.close();
		}
	});
});

describe('a proxy of the environment', () => {
	const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
	const value = Object.fromEntries(names.map((name) => [name, process.env[name]]));
	afterEach(() => {
		for (const name of names) {
			if (value[name] === undefined) delete process.env[name];
			else process.env[name] = value[name];
		}
	});

	async function proxy(): Promise<() => string> {
		let read = '';
		const { port } = await serve((socket) => {
			socket.on('data', (chunk) => {
				read += String(chunk);
				socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
			});
		});
		for (const name of names) delete process.env[name];
		for (const name of ['http_proxy', 'https_proxy']) process.env[name] = `http://127.0.0.1:${port}`;
		return () => read;
	}

	it('sends nothing for this machine through a proxy', async () => {
		const wire = await startWire();
		const read = await proxy();
		try {
			wire.on('GET /x', success({}));
			const headers = { 'x-api-key': KEY };
			for (const host of ['127.0.0.1', 'localhost'])
				expect(await nodeHttp()(get(`${wire.url.replace('127.0.0.1', host)}/x`, { headers }))).toMatchObject({
					status: 200,
				});
			await failureOf(nodeHttp()(get('https://127.0.0.1:9/v1/x', { headers })));
			expect(read()).toBe('');
		} finally {
			await wire.close();
		}
	});

	it('asks a proxy for a tunnel, so that it sees neither key nor path', async () => {
		const read = await proxy();
		await nodeHttp()(get('https://exchange.test/v1/x', { headers: { 'x-api-key': KEY } })).catch(() => undefined);
		expect(read()).toMatch(/^CONNECT exchange\.test:443 HTTP\/1\.1\r\n/);
		expect(read()).not.toMatch(/canary|\/v1/);
	});
});
