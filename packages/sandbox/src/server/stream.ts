/** WebSocket server of the stream: one exchange session per connection. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { VERSION_PREFIX } from '../api/exchange';
import { type Published, logKey, positionOf } from '../engine/events';
import { emit, type Connection } from './connection';
import { objectionTo, type GuardOptions } from './guard';
import { createOutbox } from './outbox';
import type { SandboxContext } from './context';
import { timestamp } from '../engine/world';
import type { CommandAction, OperationId } from '@partner-exchange/core/catalogue';
import { readJson } from '../api/call';
import { kindsStriking, type KindStriking } from './faults';

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

interface StreamOptions extends GuardOptions {
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
	const send = (text: string, event?: Published) => emit(context, connection, text, event);
	const port = { send, flushed: outbox.flushed, drop: () => client.terminate() };
	const connection: Connection = {
		socket: client,
		session: context.exchange.connect(port, token),
		outbox,
		apiKey: token,
		silent: false,
		isConsole,
		openedAt: context.clock.now(),
	};
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
	const struck: 'refuse-stream' | undefined = isConsole
		? undefined
		: context.faults.strike(UPGRADE_KINDS, { apiKey: token })?.kind;
	if (struck || full) return '503 Service Unavailable';
	try {
		if (token !== undefined) context.exchange.identify(token);
		return undefined;
	} catch {
		return '401 Unauthorized';
	}
}

/** A connected client with its subscriptions, and how many events it is behind per topic. */
function describeClient(context: SandboxContext, { outbox, session, isConsole, openedAt }: Connection): object {
	return {
		id: session.id,
		email: session.caller?.account.email ?? null,
		console: isConsole,
		connected_at: timestamp(openedAt),
		buffered_bytes: outbox.bufferedBytes(),
		topics: [...session.topics.keys()].map((topic) => ({ topic, ...positionOfTopic(context, session, topic) })),
	};
}

/** The position of an exact topic; a wildcard has none. */
function positionOfTopic(
	{ exchange }: SandboxContext,
	{ sentSequences, caller }: Connection['session'],
	topic: string,
) {
	const seq = sentSequences.get(topic);
	if (seq === undefined) return { seq: null, lag: 0 };
	const now = positionOf(exchange.engine.events, logKey(topic, caller?.account.id ?? null)).seq;
	// After a new epoch the current position may be below the last one sent.
	return { seq, lag: Math.max(0, now - seq) };
}

/** Faults that apply to incoming stream commands: the request faults that need no HTTP response. */
const COMMAND_FAULTS = kindsStriking('command');

const operations: Record<CommandAction, OperationId> = {
	order_create: 'order.create',
	order_cancel: 'order.cancel',
	order_replace: 'order.replace',
};

function receive(context: SandboxContext, connection: Connection, text: string): void {
	const { session, socket } = connection;
	const fault = context.faults.armed.length > 0 && strikeCommand(context, connection, text);
	if (!fault) return session.receive(text);
	const commit = () => {
		connection.silent = true;
		session.receive(text);
	};
	const { kind } = fault;
	switch (kind) {
		case 'commit-then-drop':
			commit();
			return context.afterCommit(() => socket.terminate());
		case 'commit-then-hang':
			return commit();
		case 'drop-before-commit':
			return socket.terminate();
		case 'hang':
			return;
		default:
			return kind satisfies never;
	}
}

function strikeCommand({ faults }: SandboxContext, { apiKey }: Connection, text: string) {
	const message = readJson(text);
	if (typeof message === 'string' || message.type !== 'command') return undefined;
	const operation = operations[message.action as CommandAction];
	const key = message.idempotency_key ?? message.request_id;
	return faults.strike(COMMAND_FAULTS, {
		operation,
		apiKey,
		idempotencyKey: typeof key === 'string' ? key : undefined,
	});
}

// Faults that need no message: they apply to open connections, to new ones, and to the log the stream replays from.

const connectionFaults: Record<KindStriking<'connection'>, (connection: Connection) => void> = {
	'drop-stream': ({ socket }) => socket.terminate(),
	'silence-stream': (connection) => void (connection.silent = true),
};

const [CONNECTION_KINDS, UPGRADE_KINDS, LOG_KINDS] = [
	kindsStriking('connection'),
	kindsStriking('upgrade'),
	kindsStriking('log'),
];

function strikeStreams({ faults, exchange }: SandboxContext, connections: Iterable<Connection>): void {
	for (const connection of connections) {
		if (connection.isConsole) continue;
		const fault = faults.strike(CONNECTION_KINDS, { apiKey: connection.apiKey });
		if (fault) connectionFaults[fault.kind](connection);
	}
	// What the log could replay is forgotten with its epoch.
	const ofLog: 'refuse-resume' | 'new-epoch' | undefined = faults.strike(LOG_KINDS, {})?.kind;
	if (ofLog) exchange.engine.startEpoch();
}
