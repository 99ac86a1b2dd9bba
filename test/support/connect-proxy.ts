import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { openPort } from './loopback';
import { startSandbox } from './sandbox';

const tlsFile = (name: string): string => join(__dirname, '../fixtures/tls', `${name}.pem`);
/** The authority that an operator names with NODE_EXTRA_CA_CERTS. */
export const AUTHORITY = tlsFile('authority');

export interface ProxiedExchange {
	/** For HTTPS_PROXY. */
	proxy: string;
	baseUrl: string;
	wsUrl: string;
	/** Each host a tunnel was asked for, in order. */
	tunnels: string[];
	/** The status the proxy answers from now on in place of a tunnel. */
	refuse(status: number): void;
	close(): Promise<void>;
}

/** The name and the password that the proxy asks for. */
const LOGIN = 'clerk:s3cret%40work';
const AUTHORIZATION = `Basic ${Buffer.from(decodeURIComponent(LOGIN)).toString('base64')}`;

/**
 * An exchange that can be reached through a CONNECT proxy only, under a name that leads nowhere else, over TLS. The proxy
 * takes only who gives the name and the password of its address.
 */
export async function startProxiedExchange(): Promise<ProxiedExchange> {
	const sandbox = await startSandbox({ allowedHosts: ['exchange.test'] });
	const open = new Set<Duplex>();
	const link = (one: Duplex, other: Duplex): void => {
		for (const [from, to] of [
			[one, other],
			[other, one],
		] as const) {
			open.add(from);
			from.on('error', () => to.destroy()).on('close', () => (open.delete(from), to.destroy()));
			from.pipe(to);
		}
	};
	const pem = readFileSync(tlsFile('other-host'), 'utf8');
	const front = createTlsServer({ key: pem, cert: pem }, (socket) =>
		link(socket, connect(Number(new URL(sandbox.url).port), '127.0.0.1')),
	);
	front.on('tlsClientError', () => undefined);
	const frontPort = await openPort(front);
	const tunnels: string[] = [];
	let refusal: number | undefined;
	const proxy = createHttpServer((_, response) => response.writeHead(405).end());
	proxy.on('connect', ({ url = '', headers }, socket: Socket) => {
		tunnels.push(url);
		const status = refusal ?? (headers['proxy-authorization'] === AUTHORIZATION ? undefined : 407);
		if (status !== undefined) return socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		link(socket, connect(frontPort, '127.0.0.1'));
	});
	return {
		proxy: `http://${LOGIN}@127.0.0.1:${await openPort(proxy)}`,
		...{ baseUrl: 'https://exchange.test/v1', wsUrl: 'wss://exchange.test/v1/ws', tunnels },
		refuse: (status) => void (refusal = status),
		close: async () => {
			for (const stream of open) stream.destroy();
			proxy.closeAllConnections();
			proxy.close();
			front.close();
			await sandbox.close();
		},
	};
}
