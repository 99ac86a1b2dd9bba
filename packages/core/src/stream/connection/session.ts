import { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { excerpt } from '../../redaction';
import type { Account } from '../../account';
import { createReconnectingSocket, type ReconnectingSocket, type ReconnectingSocketPorts } from './socket';
import type { Channel } from '../sync/channel';
import { readFrame, subscribeFrame, unsubscribeFrame, type Frame } from './frames';
import { kindOfTopic } from '../topics/event';
import { CONFIRMATION_MS_MAX, IDLE_MS_MAX } from '../limits';
import type { Subscriber } from '../delivery/subscriber';
import { resumeField, type Position } from './position';
import { createResumeGuard } from './resume-guard';
import { createPrefilter } from './prefilter';

/** One connection and the topics it carries. */
export interface Session {
	readonly channels: ReadonlyMap<string, Channel>;
	readonly socket: ReconnectingSocket;
	/** Everybody any of its topics is for. */
	subscribers(): Subscriber[];
	attach(channel: Channel): void;
	/** Subscribes a topic once more, resuming from where the one who knows least stands. */
	subscribe(channel: Channel): void;
	detach(channel: Channel): void;
	close(): void;
}

export interface SessionPorts extends Pick<
	ReconnectingSocketPorts,
	'url' | 'openSocket' | 'random' | 'diagnose' | 'changed'
> {
	clock: Clock;
	account: Account;
	/** Answers to commands. */
	received(frame: Frame): void;
	lost(): void;
	unreachable(): void;
	failed(error: ExchangeError): void;
	/** Nothing has used it for a while. */
	idle(): void;
}

/** The close code of a message that was too large; the same message would come again with a resume. */
const TOO_LARGE = 1009;

export function createSession(ports: SessionPorts): Session {
	const { clock, account } = ports;
	const channels = new Map<string, Channel>();
	/** Topics asked for and not confirmed, and where they are resumed from. */
	const asked = new Map<string, { resumedFrom?: Position; cancel(): void }>();
	const resumeGuard = createResumeGuard(clock);
	const prefilter = createPrefilter(channelFor);
	let withoutResume = false;
	let cancelIdle: (() => void) | undefined;

	const socket = createReconnectingSocket({
		...ports,
		opened: () => {
			requestTopics([...channels.values()]);
			withoutResume = false;
		},
		received: (text) => {
			if (!prefilter.drops(text)) receive(readFrame(text), text);
		},
		lost: ({ code }) => {
			if (code === TOO_LARGE) withoutResume = true;
			resumeGuard.lost();
			forget();
			for (const channel of channels.values()) channel.lost();
			ports.lost();
		},
	});

	function requestTopics(wanted: readonly Channel[], mayResume = !withoutResume): void {
		if (!socket.isOpen()) return;
		prefilter.reset();
		const books = wanted.filter(({ topic }) => kindOfTopic(topic) === 'book');
		const others = wanted.filter(({ topic }) => kindOfTopic(topic) !== 'book');
		for (const group of [others, books]) {
			if (group.length === 0) continue;
			const resumed = mayResume ? group.filter(({ topic }) => resumeGuard.isUseful(topic)) : [];
			const positions = positionsOf(resumed);
			for (const { topic } of group) {
				asked.get(topic)?.cancel();
				asked.set(topic, {
					resumedFrom: positions.get(topic),
					cancel: clock.after(CONFIRMATION_MS_MAX, () => socket.drop()),
				});
			}
			socket.send(
				subscribeFrame(
					group.map(({ topic }) => topic),
					group === books,
					resumeField(positions, account),
				),
			);
		}
	}

	function receive(frame: Frame, text: string): void {
		switch (frame.type) {
			case 'data':
				resumeGuard.heard(frame.topic);
				prefilter.passed(text, frame);
				return channelFor(frame.topic)?.receive(frame);
			case 'subscribed':
				// A confirmation that names nothing confirms what was asked.
				for (const topic of frame.topics.length > 0 ? frame.topics : [...asked.keys()])
					confirm(topic, frame.positions[topic], frame.snapshots[topic]);
				return;
			case 'error':
				return onError(frame);
			default:
				return ports.received(frame);
		}
	}

	function confirm(topic: string, head: Position | undefined, snapshot: unknown): void {
		const resumedFrom = asked.get(topic)?.resumedFrom;
		asked.get(topic)?.cancel();
		asked.delete(topic);
		resumeGuard.confirmed(topic, head, resumedFrom);
		channels.get(topic)?.confirmed(head, snapshot, resumedFrom);
		if (asked.size === 0) socket.settled();
	}

	function onError(frame: Frame & { type: 'error' }): void {
		if (frame.kind === 'limited') {
			resumeGuard.excuse();
			socket.limited();
			return socket.drop();
		}
		const mayPass = frame.kind !== 'key' && frame.kind !== 'forbidden';
		const named = frame.topics.filter((topic) => channels.has(topic));
		const topics = named.length > 0 ? named : [...asked.keys()];
		// What was asked together is refused together, so all of it is asked again, the topics without a position too.
		if (mayPass && topics.some((topic) => asked.get(topic)?.resumedFrom))
			return requestTopics(
				topics.flatMap((topic) => channels.get(topic) ?? []),
				false,
			);
		// What was accepted before may be accepted again later.
		if (mayPass && topics.some((topic) => channels.get(topic)?.wasConfirmed())) return socket.drop();
		const error = refusal(frame, account);
		for (const topic of topics) {
			asked.get(topic)?.cancel();
			asked.delete(topic);
			channels.get(topic)?.refused(error);
		}
	}

	/** What arrives for a wildcard names its exact topic. */
	function channelFor(topic: string): Channel | undefined {
		const exact = channels.get(topic);
		if (exact) return exact;
		for (const channel of channels.values())
			if (channel.topic.endsWith('*') && topic.startsWith(channel.topic.slice(0, -1))) return channel;
		return undefined;
	}

	function forget(): void {
		for (const { cancel } of asked.values()) cancel();
		asked.clear();
	}

	return {
		channels,
		socket,
		subscribers: () => [...new Set([...channels.values()].flatMap((channel) => channel.subscribers()))],
		attach: (channel) => {
			cancelIdle?.();
			cancelIdle = undefined;
			channels.set(channel.topic, channel);
			requestTopics([channel]);
		},
		subscribe: (channel) => requestTopics([channel]),
		detach: (channel) => {
			asked.get(channel.topic)?.cancel();
			asked.delete(channel.topic);
			if (channels.delete(channel.topic)) socket.send(unsubscribeFrame([channel.topic]));
			if (channels.size === 0) cancelIdle ??= clock.after(IDLE_MS_MAX, ports.idle);
		},
		close: () => {
			forget();
			cancelIdle?.();
			for (const channel of channels.values()) channel.stop();
			socket.close();
		},
	};
}

function positionsOf(channels: readonly Channel[]): Map<string, Position> {
	return new Map(
		channels.flatMap((channel) => {
			const position = channel.resumeFrom();
			return position ? [[channel.topic, position] as const] : [];
		}),
	);
}

function refusal(frame: Frame & { type: 'error' }, { apiKey }: Account): ExchangeError {
	const code = frame.kind === 'key' ? 'unauthorized' : frame.kind === 'forbidden' ? 'forbidden' : 'refused';
	return new ExchangeError(code, {
		operation: 'Stream',
		what: 'The service refused the subscription',
		serviceMessage: frame.text === '' ? undefined : excerpt(frame.text, apiKey),
		serviceCode: frame.code === '' ? undefined : excerpt(frame.code, apiKey),
	});
}
