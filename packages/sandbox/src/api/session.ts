import { TOPICS_PER_CONNECTION_MAX, type CommandAction, type CommandErrorCode } from '@partner-exchange/core/catalogue';
import { listen, missedSince, positionOf, textOf, type Position, type Published } from '../engine/events';
import { Refusal, invalid, type RefusalKind } from '../engine/refusal';
import { type Fields, knownFields } from '../engine/order-request';
import { type Caller, authorize } from './keys';
import { readJson } from './call';
import { spend, type RateLimit } from './rate';
import { resolveTopic, snapshotOf } from './stream-topics';
import type { Action, Outcome } from '../engine/actions';
import type { Engine } from '../engine/engine';
import type { AccountView, KeyAccess } from '../engine/state';
import type { Dialect } from './dialect';
import { fingerprintOf } from '../engine/idempotency';
import { requireKey } from './order-routes';

const MESSAGE_CHARACTERS_MAX = 65_536;

export function openSession(exchange: SessionExchange, port: SessionPort, caller: Caller | undefined): Session {
	const session: Session = {
		id: ++exchange.sessionCount,
		caller,
		topics: new Map(),
		sentSequences: new Map(),
		receive,
		close,
	};
	const { event, replay } = createReplayPacer(port, (message) => textOf(exchange.engine.events, message));
	const context: SessionContext = {
		exchange,
		session,
		event,
		replay,
		send: (message) => port.send(JSON.stringify(message)),
	};
	function receive(text: string) {
		exchange.catchUp();
		dispatch(context, text);
	}
	function close() {
		for (const stop of session.topics.values()) stop();
		session.topics.clear();
		exchange.sessions.delete(session);
	}
	exchange.sessions.add(session);
	return session;
}

function dispatch(context: SessionContext, text: string): void {
	const message = parse(text);
	if (!message) return sendError(context, 'invalid_message', 'A message must be a JSON object with a type.');
	try {
		spend(context.exchange.messages, String(context.session.id), context.exchange.engine.state.now);
	} catch (error) {
		if (message.type === 'command') return runCommand(context, message, error as Refusal);
		return sendError(context, 'rate_limited', (error as Refusal).message);
	}
	const take = Object.hasOwn(messages, message.type as string)
		? messages[message.type as keyof typeof messages]
		: undefined;
	if (!take) return sendError(context, 'unknown_type', 'type must be one of subscribe, unsubscribe, ping, command.');
	take(context, message);
}

function parse(text: string): Fields | undefined {
	if (text.length > MESSAGE_CHARACTERS_MAX) return undefined;
	const message = readJson(text);
	return typeof message === 'object' && typeof message.type === 'string' ? message : undefined;
}

const messages = {
	subscribe,
	unsubscribe,
	ping: ({ send, exchange }: SessionContext) =>
		send({ type: 'pong', ts: new Date(exchange.engine.state.now).toISOString() }),
	command: (context: SessionContext, message: Fields) => runCommand(context, message),
};

/** Sends a stream error. The interface does not show its fields; the dialect names the code field. */
function sendError(
	{ send, exchange }: Pick<SessionContext, 'send' | 'exchange'>,
	code: string,
	message: string,
	topic?: string,
): void {
	const field = exchange.dialect.stream_error;
	if (field === 'type') return send({ type: code, message, topic });
	send({ type: 'error', [field]: code, message, topic });
}

function topicsOf(context: SessionContext, { topics }: Fields): string[] | undefined {
	const valid = Array.isArray(topics) && topics.length > 0 && topics.every((topic) => typeof topic === 'string');
	if (valid) return [...new Set(topics)];
	sendError(context, 'invalid_message', 'topics must be a list of topic names.');
	return undefined;
}

/** Exceeding the topic limit refuses the whole message; any other refused topic does not affect the rest. */
function subscribe(context: SessionContext, message: Fields): void {
	const requested = topicsOf(context, message);
	if (!requested) return;
	const { topics } = context.session;
	if (requested.filter((topic) => !topics.has(topic)).length + topics.size > TOPICS_PER_CONNECTION_MAX) {
		return sendError(
			context,
			'too_many_topics',
			`A connection follows at most ${TOPICS_PER_CONNECTION_MAX} topics; nothing was subscribed.`,
		);
	}
	const accepted = requested.filter((topic) => subscribeTopic(context, topic));
	if (accepted.length === 0) return;
	confirm(context, accepted, message);
}

function subscribeTopic(context: SessionContext, topic: string): boolean {
	const { exchange, session, event } = context;
	try {
		const key = resolveTopic(exchange.engine, topic, session.caller);
		// Replaces an earlier subscription to the same topic, so that no event is delivered twice.
		session.topics.get(topic)?.();
		session.topics.set(topic, listen(exchange.engine.events, key, event));
		if (!topic.endsWith('*')) session.sentSequences.set(topic, positionOf(exchange.engine.events, key).seq);
		return true;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		sendError(context, error.code, error.message, topic);
		return false;
	}
}

/**
 * Sends the confirmation, then missed events, then live ones. This runs synchronously, so no event can occur in
 * between.
 */
function confirm(context: SessionContext, accepted: string[], { snapshot, resume }: Fields): void {
	const { exchange, session, send, replay } = context;
	const { engine } = exchange;
	const keys = new Map(accepted.map((topic) => [topic, resolveTopic(engine, topic, session.caller)]));
	const missed = new Map<string, Published[] | undefined>();
	for (const [topic, position] of Object.entries(positionsOf(resume))) {
		const key = keys.get(topic);
		if (key !== undefined)
			missed.set(topic, topic.endsWith('*') ? undefined : missedSince(engine.events, key, position));
	}
	const isTold = exchange.dialect.resume === 'told' && missed.size > 0;
	send({
		type: 'subscribed',
		topics: accepted,
		positions: Object.fromEntries([...keys].map(([topic, key]) => [topic, positionOf(engine.events, key)])),
		resumed: isTold
			? Object.fromEntries([...missed].map(([topic, events]) => [topic, events !== undefined]))
			: undefined,
		snapshots:
			snapshot === true
				? Object.fromEntries(accepted.map((topic) => [topic, snapshotOf(engine, topic, session.caller?.account)]))
				: undefined,
	});
	replay([...missed.values()].flatMap((events) => events ?? []));
}

function positionsOf(resume: unknown): Record<string, Position> {
	if (resume === null || typeof resume !== 'object') return {};
	const valid = (position: unknown): position is Position => position !== null && typeof position === 'object';
	return Object.fromEntries(Object.entries(resume).filter(([, position]) => valid(position)));
}

function unsubscribe(context: SessionContext, message: Fields): void {
	const topics = topicsOf(context, message);
	if (!topics) return;
	for (const topic of topics) {
		context.session.topics.get(topic)?.();
		context.session.topics.delete(topic);
		context.session.sentSequences.delete(topic);
	}
	context.send({ type: 'unsubscribed', topics: topics });
}

/** What a session needs from its exchange. */
export interface SessionExchange {
	engine: Engine;
	dialect: Dialect;
	messages: RateLimit;
	/** Open sessions, and the number opened so far. */
	sessions: Set<Session>;
	sessionCount: number;
	apply(action: Action): Outcome;
	identify(key: string | undefined): Caller;
	/** Runs scheduled steps that are due. */
	catchUp(): void;
	/** Idempotency keys of order writes delayed by a fault, as `account:key`. */
	inFlight: Set<string>;
	requireFree(account: AccountView, key: string): void;
}

/** The connection of a session. */
export interface SessionPort {
	/** `event` is given for event messages, so that subscribers can share the encoded frame. */
	send(text: string, event?: Published): void;
	/** Calls back once the socket has drained. Without this method, a replay is sent at once. */
	flushed?(then: () => void): void;
	/** Disconnects a client that reads too slowly. */
	drop?(): void;
}

/** One connection to the stream, independent of its socket. */
export interface Session {
	id: number;
	caller: Caller | undefined;
	/** Subscribed topics and wildcards, each with its unsubscribe function. */
	topics: Map<string, () => void>;
	/** The last sequence number sent, by exact topic. */
	sentSequences: Map<string, number>;
	receive(text: string): void;
	close(): void;
}

/** A session with the dependencies of its message handlers. */
interface SessionContext {
	exchange: SessionExchange;
	session: Session;
	send(message: object): void;
	event(event: Published): void;
	/** Sends missed events before live ones. */
	replay(events: Published[]): void;
}

/** Events sent before waiting for the socket to drain. */
const REPLAY_PART = 100;
/** Most live events buffered during a replay; a client that falls further behind is disconnected. */
const WAITING_MAX = 50_000;

/** Sends a long replay no faster than the client reads, and buffers live events until it is complete. */
function createReplayPacer(port: SessionPort, textOf: (event: Published) => string) {
	let waiting: Published[] | undefined;
	let sent = 0;

	function event(message: Published): void {
		if (!waiting) return port.send(textOf(message), message);
		waiting.push(message);
		if (waiting.length - sent > WAITING_MAX) port.drop?.();
	}
	function replay(events: Published[]): void {
		if (waiting) return void waiting.push(...events);
		[waiting, sent] = [events, 0];
		next();
	}
	function next(): void {
		const end = port.flushed ? sent + REPLAY_PART : Infinity;
		for (; waiting && sent < waiting.length && sent < end; sent++) {
			const message = waiting[sent] as Published;
			port.send(textOf(message), message);
		}
		if (waiting && sent < waiting.length) return port.flushed?.(next);
		waiting = undefined;
	}
	return { event, replay };
}

const access: Record<CommandAction, KeyAccess> = {
	order_create: 'orderCreate',
	order_cancel: 'orderExecute',
	order_replace: 'orderExecute',
};

const codes: Partial<Record<RefusalKind, CommandErrorCode>> = {
	unauthorized: 'UNAUTHORIZED',
	forbidden: 'FORBIDDEN',
	conflict: 'CONFLICT',
	rate_limited: 'RATE_LIMITED',
};

/** Runs an order command and acknowledges or refuses it under its request_id. (Interface, part 6.) */
function runCommand(context: SessionContext, message: Fields, limited?: Refusal): void {
	const { request_id: requestId, action } = message;
	try {
		if (limited) throw limited;
		const data = executeCommand(context, message);
		context.send({ type: 'command_ack', request_id: requestId, action, data });
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		const code = codes[error.kind] ?? 'VALIDATION_FAILED';
		context.send({
			type: 'command_error',
			request_id: requestId ?? null,
			action: action ?? null,
			code,
			message: error.message,
		});
	}
}

function executeCommand({ exchange, session }: SessionContext, message: Fields): object {
	const { type, request_id: requestId, action, idempotency_key: givenKey, ...fields } = message;
	if (!session.caller)
		throw new Refusal('unauthorized', 'unauthorized', 'Order commands need a connection with a valid key.');
	// Checked for each command, because the key may have been deactivated after the connection was made.
	const caller = exchange.identify(session.caller.key.key);
	if (typeof requestId !== 'string' || requestId === '')
		throw invalid('request_id_required', 'A command needs a request_id.');
	if (!Object.hasOwn(access, action as string))
		throw invalid('unknown_action', `action must be one of ${Object.keys(access).join(', ')}.`);
	const kind = action as CommandAction;
	authorize(caller, access[kind]);
	const key = requireKey(givenKey ?? requestId);
	exchange.requireFree(caller.account, key);
	const fingerprint = fingerprintOf(kind, fields);
	return exchange.apply({ kind, accountId: caller.account.id, fields: knownFields(fields), key, fingerprint }).data;
}
