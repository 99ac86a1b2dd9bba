import type { Account } from '../../account';
import { inBackground } from '../../background';
import type { ConnectionStatus } from '../../catalogue';
import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket, SocketHandlers } from '../../ports';
import { keyHider } from '../../wire/echo';
import type { StreamState } from '../contract';
import { createFailureLog, instant } from '../failure-log';
import { resumeField, type Position } from '../position';
import { createWake } from '../wake';
import { createDataReader } from './data-reader';
import type { ConnectionEffect, ConnectionInput } from './effects';
import { messagesIn, readFrame, subscribeFrame, type Frame } from './frames';
import { mayPause } from './listening-time';
import { hearReplay, isResumeUseful } from './resume-guard';
import { tellChannel, type SessionChannel } from './session-channel';
import { isOpen, newConnection, type ConnectionState } from './state';
import { step, wakesAt } from './step';
import { createWildcards } from './wildcards';

/** One connection, opened again until `close`, and the topics it carries. */
export interface Session {
	readonly channels: ReadonlyMap<string, SessionChannel>;
	state(): StreamState;
	status(): Omit<ConnectionStatus, 'access'>;
	/** Whether the text was sent. */
	send(text: string): boolean;
	/** Pauses reading (backpressure), where the host can. While a queue is full, each message asks for it. */
	pause(limitMs: () => number): void;
	resume(): void;
	attach(channel: SessionChannel): void;
	/** Subscribes a topic again, from the oldest position of its subscribers. */
	subscribe(channel: SessionChannel): void;
	detach(channel: SessionChannel): void;
	close(): void;
}

export interface SessionPorts {
	url: string;
	account: Account;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	/** Finds out why a socket did not open. Undefined means that the cause is unknown and the socket is tried again. */
	diagnose(status: number | undefined): Promise<ExchangeError | undefined>;
	/** Messages of no topic: answers to commands, and messages that could not be understood. */
	received(frame: Frame): void;
	/** A socket closed, whether or not it was ever open. */
	lost(): void;
	/** No socket has opened yet and the latest one failed for an unknown reason; further ones are tried. */
	unreachable(refusal?: string): void;
	/** The key was refused repeatedly. Further sockets are tried at growing pauses. */
	refused(error: ExchangeError): void;
	changed(state: StreamState): void;
	/** The session has carried no topic for some time. */
	idle(): void;
}

/** Runs one connection: has `step` decide what follows from what happens, and does it. */
export function createSession(ports: SessionPorts): Session {
	const { clock, random, account } = ports;
	const channels = new Map<string, SessionChannel>();
	const state = newConnection(clock.now());
	const failures = createFailureLog(clock);
	const withoutKey = keyHider(account.apiKey);
	const reader = createDataReader((topic) => channels.get(topic));
	const wildcards = createWildcards(channels);
	let socket: Socket | undefined;
	const wake = createWake(clock, () => happened({ type: 'woken', chance: random() }));

	function happened(input: ConnectionInput): void {
		for (const effect of step(state, input, clock.now())) {
			// Whoever was told of the effect before may have closed the session.
			if (state.phase !== 'closed' || input.type === 'given_up') perform(effect);
		}
		wake(wakesAt(state, clock.now()));
	}

	function perform(effect: ConnectionEffect): void {
		switch (effect.do) {
			case 'open':
				socket = openOnce(ports, {
					opened: () => happened({ type: 'opened' }),
					messages: receive,
					closed: (facts) => happened({ ...facts, type: 'closed', chance: random() }),
				});
				return;
			case 'terminate':
				socket?.terminate();
				socket = undefined;
				return;
			case 'send':
				return socket?.send(effect.text);
			case 'pause':
			case 'resume':
				return socket?.[effect.do]?.();
			case 'enter':
				return ports.changed(effect.state);
			case 'log':
				return failures.record(effect.why);
			case 'lose':
				socket = undefined;
				for (const channel of channels.values()) channel.lost();
				return ports.lost();
			case 'diagnose':
				return inBackground(ports.diagnose(effect.status).then((error) => happened({ type: 'diagnosed', error })));
			case 'tell_unreachable':
				return ports.unreachable(effect.refusal);
			case 'tell_refused':
				return ports.refused(effect.error);
			case 'subscribe':
				return subscribe(effect);
			case 'tell_idle':
				return ports.idle();
			default:
				return tellChannel(channels.get(effect.topic), effect, account.apiKey);
		}
	}

	/** An exception while handling a message would leave through the socket's callback and end the process. */
	function receive(texts: readonly string[], isCurrent: () => boolean): void {
		try {
			read(messagesIn(withoutKey(texts)), isCurrent);
		} catch {
			happened({ type: 'broken', why: 'A message ended it', chance: random() });
		}
	}

	function read(texts: readonly string[], isCurrent: () => boolean): void {
		const at = clock.now();
		state.heardAt = at;
		// A message that no exact topic needs may be one that a wildcard means, so every message is read.
		const frames = wildcards.any() ? [] : reader.read(texts, at);
		// A message may end the connection, and those behind it with it.
		for (let index = 0; index < texts.length && isCurrent(); index += 1) {
			// One malformed message must not end the connection.
			try {
				const frame = frames[index] ?? readFrame(texts[index]!);
				if (frame !== 'dropped') handOn(frame, at);
			} catch {
				ports.received({ type: 'ignored' });
			}
		}
	}

	function handOn(frame: Frame, at: number): void {
		if (frame.type === 'data') {
			hearReplay(state.replays, frame.topic);
			channels.get(frame.topic)?.receive(frame, at);
			wildcards.receive(frame, at);
		} else if (frame.type === 'subscribed' || frame.type === 'unsubscribed') happened(frame);
		else if (frame.type === 'error') happened({ ...frame, chance: random() });
		else ports.received(frame);
	}

	function subscribe({ topics: wanted, isBook, mayResume }: Extract<ConnectionEffect, { do: 'subscribe' }>): void {
		const topics = wanted.filter((topic) => channels.has(topic));
		if (topics.length === 0) return;
		const positions = new Map<string, Position>();
		for (const topic of mayResume ? topics : []) {
			const position = isResumeUseful(state.replays, topic) ? channels.get(topic)?.resumeFrom() : undefined;
			if (position) positions.set(topic, position);
		}
		const field = resumeField(positions, account);
		// The field is empty where the account has turned resume off, so nothing is replayed.
		if (Object.keys(field).length === 0) positions.clear();
		happened({ type: 'resumed', positions });
		for (const topic of topics) channels.get(topic)?.requested(positions.get(topic));
		socket?.send(subscribeFrame(topics, isBook && mayResume, field));
	}

	happened({ type: 'begun' });
	return {
		channels,
		state: () => state.phase,
		status: () => ({ topics: channels.size, ...statusOf(state), ...failures.last() }),
		send: (text) => {
			if (isOpen(state)) socket?.send(text);
			return isOpen(state);
		},
		pause: (limitMs) => {
			if (socket?.pause && mayPause(state.listening)) happened({ type: 'paused', limitMs: limitMs() });
		},
		resume: () => happened({ type: 'continued' }),
		attach: (channel) => {
			channels.set(channel.topic, channel);
			wildcards.update();
			happened({ type: 'attached', topic: channel.topic, isBook: channel.wantsSnapshot });
		},
		subscribe: ({ topic }) => happened({ type: 'wanted', topic }),
		detach: ({ topic }) => {
			channels.delete(topic);
			wildcards.update();
			happened({ type: 'detached', topic });
		},
		close: () => {
			for (const channel of channels.values()) channel.stop();
			happened({ type: 'given_up' });
		},
	};
}

const statusOf = ({ phase, since, attempts }: ConnectionState) => ({ state: phase, since: instant(since), attempts });

type SocketEvents = Omit<SocketHandlers, 'messages'> & {
	/** `isCurrent`: whether the socket that brought them still counts. */
	messages(texts: readonly string[], isCurrent: () => boolean): void;
};

/** A socket that tells nothing more once it has closed or was terminated. */
function openOnce({ openSocket, url }: SessionPorts, { opened, messages, closed }: SocketEvents): Socket | undefined {
	let isCurrent = true;
	const socket = openSocket(url, {
		opened: () => void (isCurrent && opened()),
		messages: (texts) => void (isCurrent && messages(texts, () => isCurrent)),
		closed: (facts) => {
			if (!isCurrent) return;
			isCurrent = false;
			closed(facts);
		},
	});
	const terminate = (): void => {
		isCurrent = false;
		socket.terminate();
	};
	return isCurrent ? { ...socket, terminate } : undefined;
}
