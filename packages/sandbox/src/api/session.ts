import { TOPICS_PER_CONNECTION_MAX } from '@partner-exchange/core/catalogue';
import { listen, missedSince, positionOf, textOf, type Position, type StreamEvent } from '../engine/events';
import { Refusal } from '../engine/refusal';
import type { Fields } from '../engine/draft';
import { runCommand } from './commands';
import type { Exchange } from './exchange';
import type { Caller } from './keys';
import { createOutlet } from './outlet';
import { spend } from './rate';
import { snapshotOf } from './snapshots';
import { resolveTopic } from './stream-topics';

/** What a session needs of its connection. */
export interface SessionPort {
	/** With the event the text is about, if it is about one. */
	send(text: string, event?: StreamEvent): void;
	/** Calls back once what was sent has left. Where it is missing, a replay is sent in one go. */
	flushed?(then: () => void): void;
	/** Ends the connection of a reader that is too slow. */
	letGo?(): void;
}

/** One connection to the stream, without the socket. */
export interface Session {
	id: number;
	caller: Caller | undefined;
	/** Exact topics and wildcards it follows, each with the function that stops it. */
	topics: Map<string, () => void>;
	/** The last position each exact topic was told of. */
	told: Map<string, number>;
	receive(text: string): void;
	close(): void;
}

/** Shared by the functions below. */
export interface Line {
	exchange: Exchange;
	session: Session;
	say(message: object): void;
	event(event: StreamEvent): void;
	/** Sends what was missed, before anything live. */
	replay(events: StreamEvent[]): void;
}

const MESSAGE_CHARACTERS_MAX = 65_536;

export function openSession(exchange: Exchange, port: SessionPort, caller: Caller | undefined): Session {
	const session: Session = { id: ++exchange.sessionCount, caller, topics: new Map(), told: new Map(), receive, close };
	const { event, replay } = createOutlet(port, (one) => textOf(exchange.engine.events, one));
	const line: Line = { exchange, session, event, replay, say: (message) => port.send(JSON.stringify(message)) };
	function receive(text: string) {
		exchange.catchUp();
		hear(line, text);
	}
	function close() {
		for (const stop of session.topics.values()) stop();
		session.topics.clear();
		exchange.sessions.delete(session);
	}
	exchange.sessions.add(session);
	return session;
}

function hear(line: Line, text: string): void {
	const message = parse(text);
	if (!message) return complain(line, 'invalid_message', 'A message must be a JSON object with a type.');
	try {
		spend(line.exchange.messages, String(line.session.id), line.exchange.engine.state.now);
	} catch (error) {
		if (message.type === 'command') return runCommand(line, message, error as Refusal);
		return complain(line, 'rate_limited', (error as Refusal).message);
	}
	const take = Object.hasOwn(messages, message.type as string)
		? messages[message.type as keyof typeof messages]
		: undefined;
	if (!take) return complain(line, 'unknown_type', 'type must be one of subscribe, unsubscribe, ping, command.');
	take(line, message);
}

function parse(text: string): Fields | undefined {
	if (text.length > MESSAGE_CHARACTERS_MAX) return undefined;
	try {
		const value: unknown = JSON.parse(text);
		const isMessage = value !== null && typeof value === 'object' && typeof (value as Fields).type === 'string';
		return isMessage ? (value as Fields) : undefined;
	} catch {
		return undefined;
	}
}

const messages = {
	subscribe,
	unsubscribe,
	ping: ({ say, exchange }: Line) => say({ type: 'pong', ts: new Date(exchange.engine.state.now).toISOString() }),
	command: (line: Line, message: Fields) => runCommand(line, message),
};

/** A stream error. The interface does not show its fields; the dialect says where its name stands. */
export function complain(
	{ say, exchange }: Pick<Line, 'say' | 'exchange'>,
	code: string,
	message: string,
	topic?: string,
): void {
	const field = exchange.dialect.stream_error;
	if (field === 'type') return say({ type: code, message, topic });
	say({ type: 'error', [field]: code, message, topic });
}

function topicsOf(line: Line, { topics }: Fields): string[] | undefined {
	const valid = Array.isArray(topics) && topics.length > 0 && topics.every((topic) => typeof topic === 'string');
	if (valid) return [...new Set(topics)];
	complain(line, 'invalid_message', 'topics must be a list of topic names.');
	return undefined;
}

/** All or none where the limit of topics is concerned; topics that are refused for themselves do not harm the others. */
function subscribe(line: Line, message: Fields): void {
	const asked = topicsOf(line, message);
	if (!asked) return;
	const { topics } = line.session;
	if (asked.filter((topic) => !topics.has(topic)).length + topics.size > TOPICS_PER_CONNECTION_MAX) {
		return complain(
			line,
			'too_many_topics',
			`A connection follows at most ${TOPICS_PER_CONNECTION_MAX} topics; nothing was subscribed.`,
		);
	}
	const accepted = asked.filter((topic) => follow(line, topic));
	if (accepted.length === 0) return;
	confirm(line, accepted, message);
}

function follow(line: Line, topic: string): boolean {
	const { exchange, session, event } = line;
	try {
		const key = resolveTopic(exchange.engine, topic, session.caller);
		// A second subscription to the same topic replaces the first: nothing arrives twice.
		session.topics.get(topic)?.();
		session.topics.set(topic, listen(exchange.engine.events, key, event));
		if (!topic.endsWith('*')) session.told.set(topic, positionOf(exchange.engine.events, key).seq);
		return true;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		complain(line, error.code, error.message, topic);
		return false;
	}
}

/** Confirmation first, then what was missed, then live: nothing can fall between, as no event happens meanwhile. */
function confirm(line: Line, accepted: string[], { snapshot, resume }: Fields): void {
	const { exchange, session, say, replay } = line;
	const { engine } = exchange;
	const keys = new Map(accepted.map((topic) => [topic, resolveTopic(engine, topic, session.caller)]));
	const missed = new Map<string, StreamEvent[] | undefined>();
	for (const [topic, position] of Object.entries(positionsOf(resume))) {
		const key = keys.get(topic);
		if (key !== undefined)
			missed.set(topic, topic.endsWith('*') ? undefined : missedSince(engine.events, key, position));
	}
	const told = exchange.dialect.resume === 'told' && missed.size > 0;
	say({
		type: 'subscribed',
		topics: accepted,
		positions: Object.fromEntries([...keys].map(([topic, key]) => [topic, positionOf(engine.events, key)])),
		resumed: told ? Object.fromEntries([...missed].map(([topic, events]) => [topic, events !== undefined])) : undefined,
		snapshots:
			snapshot === true ? Object.fromEntries(accepted.map((topic) => [topic, snapshotOf(line, topic)])) : undefined,
	});
	replay([...missed.values()].flatMap((events) => events ?? []));
}

function positionsOf(resume: unknown): Record<string, Position> {
	if (resume === null || typeof resume !== 'object') return {};
	const valid = (position: unknown): position is Position => position !== null && typeof position === 'object';
	return Object.fromEntries(Object.entries(resume).filter(([, position]) => valid(position)));
}

function unsubscribe(line: Line, message: Fields): void {
	const asked = topicsOf(line, message);
	if (!asked) return;
	for (const topic of asked) {
		line.session.topics.get(topic)?.();
		line.session.topics.delete(topic);
		line.session.told.delete(topic);
	}
	line.say({ type: 'unsubscribed', topics: asked });
}
