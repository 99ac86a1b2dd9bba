import type { Account } from '../../account';
import { inBackground } from '../../background';
import { mayMean } from '../../catalogue';
import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket, SocketHandlers } from '../../ports';
import { keyHider } from '../../wire/echo';
import type { StreamState } from '../contract';
import { resumeField, type Position } from '../position';
import { createWake } from '../wake';
import {
	type ConnectionEffect,
	type ConnectionInput,
	type ConnectionState,
	isOpen,
	newConnection,
	refusalOf,
} from './state';
import { messagesIn, readFrame, subscribeFrame, type Frame } from './frames';
import type { SessionChannel } from './session-channel';
import { step, wakesAt } from './step';

/** One connection, opened again until `close`, and the topics it carries. */
export interface Session {
	readonly state: Readonly<ConnectionState>;
	/** Whether the text was sent. */
	send(text: string): boolean;
	/** Carries a topic, which asks for a snapshot or not. (Interface, part 6.) */
	attach(topic: string, isBook: boolean): void;
	/** Subscribes a topic again, from the oldest position of its subscribers. */
	subscribe(topic: string): void;
	detach(topic: string): void;
	close(): void;
}

export interface SessionPorts {
	access: ConnectionState['access'];
	account: Account;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	/** The channel of a topic; undefined once nobody needs the topic. */
	channel(topic: string): SessionChannel | undefined;
	/** Whether REST refuses the key. */
	isKeyRefused(signal: AbortSignal): Promise<boolean>;
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
	const { clock, random, account, access } = ports;
	const state = newConnection(access, clock.now());
	const { topics } = state;
	const closed = new AbortController();
	const withoutKey = keyHider(account.apiKey);
	const wake = createWake(clock, () => happened({ type: 'woken', chance: random() }));
	let socket: Socket | undefined;

	function happened(input: ConnectionInput): void {
		for (const effect of step(state, input, clock.now())) {
			// Whoever was told of the effect before may have closed the session.
			if (state.phase !== 'closed' || input.type === 'given_up') perform(effect);
		}
		wake(wakesAt(state));
	}

	function perform(effect: ConnectionEffect): void {
		switch (effect.do) {
			case 'open':
				return open(effect.socket);
			case 'terminate':
				socket?.terminate();
				socket = undefined;
				return;
			case 'send':
				return socket?.send(effect.text);
			case 'enter':
				return ports.changed(effect.state);
			case 'lose':
				socket = undefined;
				for (const topic of [...topics.keys()])
					ports.channel(topic)?.happened({ type: 'lost', heardAt: state.heardAt });
				return ports.lost();
			case 'diagnose':
				return inBackground(
					ports.isKeyRefused(closed.signal).then((isRefused) => happened({ type: 'diagnosed', isRefused })),
				);
			case 'tell_unreachable':
				return ports.unreachable(effect.refusal);
			case 'tell_refused':
				return ports.refused(effect.error);
			case 'subscribe':
				return subscribe(effect);
			case 'tell_idle':
				return ports.idle();
			case 'tell':
				return channelOf(effect.topic)?.happened(effect.news);
		}
	}

	function open(number: number): void {
		const isCurrent = (): boolean => state.socket === number;
		const closed: SocketHandlers['closed'] = (facts) =>
			void (isCurrent() && happened({ ...facts, type: 'closed', chance: random() }));
		try {
			const opened = ports.openSocket(addressOf(account, access), {
				opened: () => isCurrent() && happened({ type: 'opened' }),
				messages: (texts) => receive(texts, isCurrent),
				closed,
			});
			if (isCurrent()) socket = opened;
		} catch {
			// A port of the caller that breaks its word. It is told like one that did not connect.
			const refusal = 'What opens its connections, the port openSocket, failed by itself';
			inBackground(Promise.resolve().then(() => closed({ refusal })));
		}
	}

	/** An exception while handling a message would leave through the socket's callback and end the process. */
	function receive(texts: readonly string[], isCurrent: () => boolean): void {
		if (!isCurrent()) return;
		try {
			read(messagesIn(withoutKey(texts)), isCurrent);
		} catch {
			happened({ type: 'broken', why: 'A message ended it', chance: random() });
		}
	}

	function read(texts: readonly string[], isCurrent: () => boolean): void {
		const at = clock.now();
		state.heardAt = at;
		// A message may end the connection, and those behind it with it.
		for (let index = 0; index < texts.length && isCurrent(); index += 1) {
			// One malformed message must not end the connection.
			try {
				handOn(readFrame(texts[index]!), at);
			} catch {
				ports.received({ type: 'ignored' });
			}
		}
	}

	function handOn(frame: Frame, at: number): void {
		if (frame.type === 'data') {
			channelOf(frame.topic)?.happened(frame, at);
			for (const wildcard of state.wildcards)
				if (mayMean(wildcard, frame.topic)) ports.channel(wildcard)?.happened(frame, at);
		} else if (frame.type === 'subscribed' || frame.type === 'unsubscribed') happened(frame);
		else if (frame.type === 'error') happened({ type: 'error', ...refusalOf(frame, account.apiKey), chance: random() });
		else ports.received(frame);
	}

	function subscribe({ topics: all, resumes, snapshot }: Extract<ConnectionEffect, { do: 'subscribe' }>): void {
		// Whoever was told of the effect before may have left.
		const wanted = all.filter((topic) => topics.has(topic));
		if (wanted.length === 0) return;
		const positions = new Map<string, Position>();
		for (const topic of resumes ? wanted : []) {
			const position = channelOf(topic)?.resumeFrom();
			if (position) positions.set(topic, position);
		}
		const field = resumeField(positions, account);
		// The field is empty where the account has turned resume off, so nothing is replayed.
		if (Object.keys(field).length === 0) positions.clear();
		if (positions.size > 0) happened({ type: 'resumed', positions });
		for (const topic of wanted) channelOf(topic)?.happened({ type: 'requested', resumeFrom: positions.get(topic) });
		socket?.send(subscribeFrame(wanted, snapshot, field));
	}

	const channelOf = (topic: string): SessionChannel | undefined =>
		topics.has(topic) ? ports.channel(topic) : undefined;

	happened({ type: 'begun' });
	return {
		state,
		send: (text) => {
			if (isOpen(state)) socket?.send(text);
			return isOpen(state);
		},
		attach: (topic, isBook) => happened({ type: 'attached', topic, isBook }),
		subscribe: (topic) => happened({ type: 'wanted', topic }),
		detach: (topic) => happened({ type: 'detached', topic }),
		close: () => {
			closed.abort();
			happened({ type: 'given_up' });
		},
	};
}

/** The address of the stream. Public topics are read without the key. (Interface, part 5.) */
function addressOf({ wsUrl, apiKey }: Account, access: ConnectionState['access']): string {
	const url = new URL(wsUrl);
	if (access === 'private') url.searchParams.set('token', apiKey);
	return url.href;
}
