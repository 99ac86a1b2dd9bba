import { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { excerpt } from '../../redaction';
import type { Account } from '../../account';
import { createConnection, type Connection, type ConnectionPorts } from './socket';
import type { Feed } from '../sync/channel';
import { readFrame, subscribeFrame, unsubscribeFrame, type Frame } from './frames';
import { kindOfTopic } from '../topics/event';
import { CONFIRMATION_MS_MAX, IDLE_MS_MAX } from '../limits';
import type { Receiver } from '../delivery/subscriber';
import { resumeField, type Position } from './position';
import { createResumption } from './resume-guard';
import { createSieve } from './prefilter';

/** One connection and the topics it carries. */
export interface Line {
	readonly feeds: ReadonlyMap<string, Feed>;
	readonly connection: Connection;
	/** Everybody any of its topics is for. */
	receivers(): Receiver[];
	carry(feed: Feed): void;
	/** Subscribes a topic once more, resuming from where the one who knows least stands. */
	subscribe(feed: Feed): void;
	let(feed: Feed): void;
	close(): void;
}

export interface LinePorts extends Pick<ConnectionPorts, 'url' | 'openSocket' | 'random' | 'diagnose' | 'changed'> {
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

export function createLine(ports: LinePorts): Line {
	const { clock, account } = ports;
	const feeds = new Map<string, Feed>();
	/** Topics asked for and not confirmed, and where they are resumed from. */
	const asked = new Map<string, { resumedFrom?: Position; cancel(): void }>();
	const resumption = createResumption(clock);
	const sieve = createSieve(feedFor);
	let withoutResume = false;
	let cancelIdle: (() => void) | undefined;

	const connection = createConnection({
		...ports,
		opened: () => {
			ask([...feeds.values()]);
			withoutResume = false;
		},
		received: (text) => {
			if (!sieve.drops(text)) hear(readFrame(text), text);
		},
		lost: ({ code }) => {
			if (code === TOO_LARGE) withoutResume = true;
			resumption.lost();
			forget();
			for (const feed of feeds.values()) feed.lost();
			ports.lost();
		},
	});

	function ask(wanted: readonly Feed[], mayResume = !withoutResume): void {
		if (!connection.isOpen()) return;
		sieve.reset();
		const books = wanted.filter(({ topic }) => kindOfTopic(topic) === 'book');
		const others = wanted.filter(({ topic }) => kindOfTopic(topic) !== 'book');
		for (const group of [others, books]) {
			if (group.length === 0) continue;
			const resumed = mayResume ? group.filter(({ topic }) => resumption.isUseful(topic)) : [];
			const positions = positionsOf(resumed);
			for (const { topic } of group) {
				asked.get(topic)?.cancel();
				asked.set(topic, {
					resumedFrom: positions.get(topic),
					cancel: clock.after(CONFIRMATION_MS_MAX, () => connection.drop()),
				});
			}
			connection.send(
				subscribeFrame(
					group.map(({ topic }) => topic),
					group === books,
					resumeField(positions, account),
				),
			);
		}
	}

	function hear(frame: Frame, text: string): void {
		switch (frame.type) {
			case 'data':
				resumption.heard(frame.topic);
				sieve.passed(text, frame);
				return feedFor(frame.topic)?.take(frame);
			case 'subscribed':
				// A confirmation that names nothing confirms what was asked.
				for (const topic of frame.topics.length > 0 ? frame.topics : [...asked.keys()])
					confirm(topic, frame.positions[topic], frame.snapshots[topic]);
				return;
			case 'error':
				return complain(frame);
			default:
				return ports.received(frame);
		}
	}

	function confirm(topic: string, head: Position | undefined, snapshot: unknown): void {
		const resumedFrom = asked.get(topic)?.resumedFrom;
		asked.get(topic)?.cancel();
		asked.delete(topic);
		resumption.confirmed(topic, head, resumedFrom);
		feeds.get(topic)?.confirmed(head, snapshot, resumedFrom);
		if (asked.size === 0) connection.settled();
	}

	function complain(frame: Frame & { type: 'error' }): void {
		if (frame.kind === 'limited') {
			resumption.excuse();
			connection.limited();
			return connection.drop();
		}
		const mayPass = frame.kind !== 'key' && frame.kind !== 'forbidden';
		const named = frame.topics.filter((topic) => feeds.has(topic));
		const topics = named.length > 0 ? named : [...asked.keys()];
		// What was asked together is refused together, so all of it is asked again, the topics without a position too.
		if (mayPass && topics.some((topic) => asked.get(topic)?.resumedFrom))
			return ask(
				topics.flatMap((topic) => feeds.get(topic) ?? []),
				false,
			);
		// What was accepted before may be accepted again later.
		if (mayPass && topics.some((topic) => feeds.get(topic)?.wasConfirmed())) return connection.drop();
		const error = refusal(frame, account);
		for (const topic of topics) {
			asked.get(topic)?.cancel();
			asked.delete(topic);
			feeds.get(topic)?.refused(error);
		}
	}

	/** What arrives for a wildcard names its exact topic. */
	function feedFor(topic: string): Feed | undefined {
		const exact = feeds.get(topic);
		if (exact) return exact;
		for (const feed of feeds.values())
			if (feed.topic.endsWith('*') && topic.startsWith(feed.topic.slice(0, -1))) return feed;
		return undefined;
	}

	function forget(): void {
		for (const { cancel } of asked.values()) cancel();
		asked.clear();
	}

	return {
		feeds,
		connection,
		receivers: () => [...new Set([...feeds.values()].flatMap((feed) => feed.receivers()))],
		carry: (feed) => {
			cancelIdle?.();
			cancelIdle = undefined;
			feeds.set(feed.topic, feed);
			ask([feed]);
		},
		subscribe: (feed) => ask([feed]),
		let: (feed) => {
			asked.get(feed.topic)?.cancel();
			asked.delete(feed.topic);
			if (feeds.delete(feed.topic)) connection.send(unsubscribeFrame([feed.topic]));
			if (feeds.size === 0) cancelIdle ??= clock.after(IDLE_MS_MAX, ports.idle);
		},
		close: () => {
			forget();
			cancelIdle?.();
			for (const feed of feeds.values()) feed.stop();
			connection.close();
		},
	};
}

function positionsOf(feeds: readonly Feed[]): Map<string, Position> {
	return new Map(
		feeds.flatMap((feed) => {
			const position = feed.resumeFrom();
			return position ? [[feed.topic, position] as const] : [];
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
