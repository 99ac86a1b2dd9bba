import type { Account } from '../../account';
import type { Clock } from '../../ports';
import { IDLE_MS_MAX } from '../limits';
import { createDataReader } from './data-reader';
import { readFrame, type Frame } from './frames';
import { createResumeGuard } from './resume-guard';
import { createReconnectingSocket, type ReconnectingSocket, type ReconnectingSocketPorts } from './socket';
import { createSubscriptions, type SessionChannel } from './subscriptions';
import { createWildcards } from './wildcards';

/** One connection and the topics it carries. */
export interface Session {
	readonly channels: ReadonlyMap<string, SessionChannel>;
	readonly socket: ReconnectingSocket;
	attach(channel: SessionChannel): void;
	/** Subscribes a topic again, from the oldest position of its subscribers. */
	subscribe(channel: SessionChannel): void;
	detach(channel: SessionChannel): void;
	close(): void;
}

export interface SessionPorts extends Pick<
	ReconnectingSocketPorts,
	'url' | 'openSocket' | 'random' | 'diagnose' | 'changed' | 'unreachable' | 'refused'
> {
	clock: Clock;
	account: Account;
	/** Messages of no topic: answers to commands, and messages that could not be understood. */
	received(frame: Frame): void;
	lost(): void;
	/** The session has carried no topic for some time. */
	idle(): void;
}

/** The close code for a message that was too large. A resume would replay it, so the next connection goes without. */
const TOO_LARGE = 1009;

export function createSession(ports: SessionPorts): Session {
	const { url, clock, random, account, openSocket, diagnose, changed, unreachable, refused } = ports;
	const channels = new Map<string, SessionChannel>();
	const resumeGuard = createResumeGuard(clock);
	const reader = createDataReader((topic) => channels.get(topic));
	const wildcards = createWildcards(channels);
	let withoutResume = false;
	let cancelIdle: (() => void) | undefined;

	const socket = createReconnectingSocket({
		...{ url, clock, random, openSocket, diagnose, changed, unreachable, refused },
		opened: () => {
			request([...channels.values()]);
			withoutResume = false;
		},
		received: (texts, at, isCurrent) => {
			// A message that no exact topic needs may be one that a wildcard means, so every message is read.
			const frames = wildcards.any() ? [] : reader.read(texts, at);
			// A message may end the connection, and those behind it with it.
			for (let index = 0; index < texts.length && isCurrent(); index += 1) {
				// One malformed message must not end the connection.
				try {
					const frame = frames[index] ?? readFrame(texts[index]!);
					if (frame !== 'dropped') receive(frame, at);
				} catch {
					ports.received({ type: 'ignored' });
				}
			}
		},
		lost: ({ code }) => {
			if (code === TOO_LARGE) withoutResume = true;
			resumeGuard.lost();
			subscriptions.reset();
			for (const channel of channels.values()) channel.lost();
			ports.lost();
		},
	});
	const subscriptions = createSubscriptions({
		clock,
		account,
		channels,
		resumeGuard,
		send: socket.send,
		afterListening: socket.afterListening,
		drop: socket.drop,
	});

	function request(wanted: readonly SessionChannel[]): void {
		if (!socket.isOpen()) return;
		reader.reset();
		subscriptions.request(wanted, !withoutResume);
	}

	function receive(frame: Frame, at: number): void {
		switch (frame.type) {
			case 'data':
				resumeGuard.heard(frame.topic);
				channels.get(frame.topic)?.receive(frame, at);
				return wildcards.receive(frame, at);
			case 'subscribed':
				subscriptions.confirmed(frame);
				if (subscriptions.isSettled()) socket.settled();
				return;
			case 'error':
				return onError(frame);
			default:
				return ports.received(frame);
		}
	}

	function onError(frame: Frame & { type: 'error' }): void {
		if (frame.kind === 'limited') {
			resumeGuard.ignoreEnd();
			socket.limited();
			return socket.drop();
		}
		subscriptions.refused(frame);
	}

	return {
		channels,
		socket,
		attach: (channel) => {
			cancelIdle?.();
			cancelIdle = undefined;
			channels.set(channel.topic, channel);
			wildcards.update();
			request([channel]);
		},
		subscribe: (channel) => request([channel]),
		detach: ({ topic }) => {
			if (channels.delete(topic)) subscriptions.cancel(topic);
			wildcards.update();
			if (channels.size === 0) cancelIdle ??= clock.after(IDLE_MS_MAX, ports.idle);
		},
		close: () => {
			subscriptions.reset();
			cancelIdle?.();
			for (const channel of channels.values()) channel.stop();
			socket.close();
		},
	};
}
