import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { VERSION_PREFIX } from '../api/exchange';
import type { StreamEvent } from '../engine/events';
import { recordArrival } from './arrivals';
import { describeClient } from './clients';
import { receive } from './commands';
import { emit, type Connection } from './connection';
import { objectionTo, type GuardOptions } from './guard';
import { createOutbox } from './outbox';
import { recordRequest, withoutToken } from './requests';
import type { Running } from './running';

/** The stream over real sockets: one session of the exchange per connection. */

const MESSAGE_BYTES_MAX = 1_048_576;
/** A reader this far behind is let go, before it costs the others their memory. */
export const BACKLOG_BYTES_MAX = 1_048_576;
const CONNECTIONS_MAX = 1_000;

const code = { goingAway: 1001, policy: 1008 };

export interface StreamServer {
	upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
	connections: Set<Connection>;
	/** Who is connected, for the console page. */
	clients(): object[];
	/** Strikes with faults that need no message to happen. */
	disturb(): void;
	close(): void;
}

export interface StreamOptions extends GuardOptions {
	backlogBytesMax: number;
}

export function createStreamServer(running: Running, options: StreamOptions): StreamServer {
	const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX, perMessageDeflate: false });
	const connections = new Set<Connection>();

	function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
		const watcher = isWatcher(request);
		socket.on('error', () => socket.destroy());
		const url = new URL(request.url ?? '/', 'http://sandbox');
		const token = url.searchParams.get('token') ?? undefined;
		const full = connections.size >= CONNECTIONS_MAX;
		const status = refusalOf(running, options, { request, url, token, full, watcher });
		if (!watcher) note(running, request, { token, status });
		if (status) return void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
		server.handleUpgrade(request, socket, head, (client) => open(client, socket, { token, watcher }));
	}

	function open(client: WebSocket, wire: Duplex, caller: Caller) {
		const connection = createConnection(running, options, { client, wire, caller });
		connections.add(connection);
		client.on('close', () => {
			connections.delete(connection);
			connection.session.close();
		});
	}

	function close() {
		for (const { socket } of connections) socket.close(code.goingAway, 'the sandbox stops');
		for (const { socket } of connections) socket.terminate();
		server.close();
	}

	const clients = () => [...connections].map((connection) => describeClient(running, connection));
	return { upgrade, connections, clients, disturb: () => disturb(running, connections), close };
}

interface Opened {
	client: WebSocket;
	wire: Duplex;
	caller: Caller;
}

function createConnection(
	running: Running,
	{ backlogBytesMax }: StreamOptions,
	{ client, wire, caller: { token, watcher } }: Opened,
): Connection {
	const outbox = createOutbox(client, wire);
	const openedAt = running.clock.now();
	const connection = { socket: client, outbox, apiKey: token, silent: false, watcher, openedAt } as Connection;
	const send = (text: string, event?: StreamEvent) =>
		running.afterCommit(() => emit(running, connection, { text, event, backlogBytesMax }));
	const port = { send, flushed: outbox.flushed, letGo: () => client.terminate() };
	connection.session = running.exchange.connect(port, token);
	client.on('message', (data, isBinary) => {
		if (isBinary) return client.close(code.policy, 'text messages only');
		receive(running, connection, String(data));
	});
	client.on('error', () => client.terminate());
	return connection;
}

function disturb({ faults, exchange }: Running, connections: Set<Connection>): void {
	for (const connection of connections) {
		if (connection.watcher) continue;
		const occasion = { apiKey: connection.apiKey };
		if (faults.strike(['drop-stream'], occasion)) connection.socket.terminate();
		else if (faults.strike(['silence-stream'], occasion)) connection.silent = true;
	}
	if (faults.strike(['new-epoch', 'refuse-resume'], {})) exchange.engine.startEpoch();
}

interface Caller {
	token: string | undefined;
	watcher: boolean;
}

interface Knock extends Caller {
	request: IncomingMessage;
	url: URL;
	full: boolean;
}

/** Browsers tell the origin of a page, and the guard lets in pages of this sandbox only. */
const isWatcher = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined;

function note(
	running: Running,
	request: IncomingMessage,
	{ token, status }: { token?: string; status?: string },
): void {
	recordRequest(running.requests, request, '');
	recordArrival(running, request, token).answer = status ? parseInt(status, 10) : 101;
	running.log?.(`STREAM ${withoutToken(request.url ?? '')}`);
}

function refusalOf(
	running: Running,
	guard: GuardOptions,
	{ request, url, token, full, watcher }: Knock,
): string | undefined {
	if (objectionTo(request, guard)) return '403 Forbidden';
	if (url.pathname !== `${VERSION_PREFIX}/ws`) return '404 Not Found';
	if (!watcher && running.faults.strike(['refuse-stream'], { apiKey: token })) return '503 Service Unavailable';
	if (full) return '503 Service Unavailable';
	try {
		if (token !== undefined) running.exchange.identify(token);
		return undefined;
	} catch {
		return '401 Unauthorized';
	}
}
