/** WebSocket server of the stream: one exchange session per connection. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { VERSION_PREFIX } from '../api/exchange';
import type { StreamEvent } from '../engine/events';
import { describeClient } from './clients';
import { receive } from './command-faults';
import { emit, type Connection } from './connection';
import { objectionTo, type GuardOptions } from './guard';
import { createOutbox } from './outbox';
import type { SandboxContext } from './context';
import { strikeStreams, strikeUpgrade } from './stream-faults';

const MESSAGE_BYTES_MAX = 1_048_576;
const CONNECTIONS_MAX = 1_000;
/** While the clock is advanced, it waits up to DRAIN_MS_MAX for clients that are further behind than this. */
const DRAINED_BYTES = 65_536;
const DRAIN_MS_MAX = 1_000;

const code = { goingAway: 1001, policy: 1008, failed: 1011 };

export interface StreamServer {
	upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
	connections: Set<Connection>;
	/** Connected clients, for the console page. */
	clients(): object[];
	/** Waits until no client is far behind, but at most DRAIN_MS_MAX. */
	drained(): Promise<void>;
	/** Applies armed faults that need no message to trigger. */
	strikeStreams(): void;
	close(): void;
}

export interface StreamOptions extends GuardOptions {
	backlogBytesMax: number;
}

export function createStreamServer(context: SandboxContext, options: StreamOptions): StreamServer {
	const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX, perMessageDeflate: false });
	const connections = new Set<Connection>();

	function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
		try {
			answerUpgrade(request, socket, head);
		} catch {
			socket.destroy();
		}
	}

	function answerUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
		const isConsole = fromConsolePage(request);
		socket.on('error', () => socket.destroy());
		const [path = '', search] = (request.url ?? '').split('?', 2);
		const token = new URLSearchParams(search).get('token') ?? undefined;
		const full = connections.size >= CONNECTIONS_MAX;
		const status = refusalOf(context, options, { request, path, token, full, isConsole });
		if (!isConsole) recordUpgrade(context, request, { token, status });
		if (status) return void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
		server.handleUpgrade(request, socket, head, (client) => open(client, socket, { token, isConsole }));
	}

	function open(client: WebSocket, wire: Duplex, caller: Caller) {
		const connection = createConnection(context, options, { client, wire, caller });
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

	async function drained() {
		const until = performance.now() + DRAIN_MS_MAX;
		const behind = () => [...connections].some(({ outbox }) => outbox.bufferedBytes() > DRAINED_BYTES);
		do await new Promise(setImmediate);
		while (behind() && performance.now() < until);
	}

	const clients = () => [...connections].map((connection) => describeClient(context, connection));
	return { upgrade, connections, clients, drained, strikeStreams: () => strikeStreams(context, connections), close };
}

interface Opened {
	client: WebSocket;
	wire: Duplex;
	caller: Caller;
}

function createConnection(
	context: SandboxContext,
	{ backlogBytesMax }: StreamOptions,
	{ client, wire, caller: { token, isConsole } }: Opened,
): Connection {
	const outbox = createOutbox({ client, wire, afterCommit: context.afterCommit, backlogBytesMax });
	const openedAt = context.clock.now();
	const connection = { socket: client, outbox, apiKey: token, silent: false, isConsole, openedAt } as Connection;
	const send = (text: string, event?: StreamEvent) => emit(context, connection, text, event);
	const port = { send, flushed: outbox.flushed, drop: () => client.terminate() };
	connection.session = context.exchange.connect(port, token);
	client.on('message', (data, isBinary) => {
		if (isBinary) return client.close(code.policy, 'text messages only');
		try {
			receive(context, connection, String(data));
		} catch {
			// A defect of the sandbox ends this connection only.
			client.close(code.failed, 'the sandbox failed at this message');
		}
	});
	client.on('error', () => client.terminate());
	return connection;
}

interface Caller {
	token: string | undefined;
	isConsole: boolean;
}

interface UpgradeRequest extends Caller {
	request: IncomingMessage;
	path: string;
	full: boolean;
}

/** Only browsers send Origin, and the guard lets no page but the console through. */
const fromConsolePage = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined;

function recordUpgrade(
	context: SandboxContext,
	request: IncomingMessage,
	{ token, status }: { token?: string; status?: string },
): void {
	const entry = context.requests.record(context, request, { body: '', key: token });
	entry.answer = status ? parseInt(status, 10) : 101;
	context.log?.(`STREAM ${entry.path}`);
}

function refusalOf(
	context: SandboxContext,
	guard: GuardOptions,
	{ request, path, token, full, isConsole }: UpgradeRequest,
): string | undefined {
	if (objectionTo(request, guard)) return '403 Forbidden';
	if (path !== `${VERSION_PREFIX}/ws`) return '404 Not Found';
	const refusal = isConsole ? undefined : strikeUpgrade(context, token);
	if (refusal) return refusal;
	if (full) return '503 Service Unavailable';
	try {
		if (token !== undefined) context.exchange.identify(token);
		return undefined;
	} catch {
		return '401 Unauthorized';
	}
}
