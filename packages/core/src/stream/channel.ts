import { inBackground } from '../background';
import type { TopicStatus } from '../catalogue';
import type { ExchangeError } from '../errors';
import { createCallers } from './callers';
import type { CarriedTopic } from './connection/link';
import { tell, timeOfService, type Feed, type FeedPorts } from './feed';
import { join, leave, rejoin } from './join';
import { doubt, giveUpWaiting, heard } from './live';
import { newLog, type Cursor } from './log';
import { appendRows, readDue } from './reading';
import { wakesIn } from './schedule';
import { topicStatus } from './status';
import type { Subscriber } from './subscriber';
import { resumesFrom, subscriptionChanged } from './subscription-news';
import { newTopic } from './topic-state';
import type { TopicEvent } from './topics/event';
import type { Topic } from './topics/topic';
import { createWake } from './wake';
import { heardByWildcard } from './wildcard';

/** One topic as the service knows it, or a wildcard, shared by all its consumers. */
export interface Channel extends CarriedTopic {
	/** Resolves once the topic is confirmed, and a read has told old events from new ones for a first start. */
	join(subscriber: Subscriber): Promise<void>;
	/** Resolves when the topic is confirmed. For callers that only need the subscription. */
	ready(): Promise<void>;
	/** A consumer has room again. */
	rejoin(cursor: Cursor): void;
	/** Removes a consumer. If it was still waiting, its promise is rejected with the error. */
	leave(subscriber: Subscriber, error?: ExchangeError): void;
	subscribers(): Subscriber[];
	/** How many messages came since a consumer joined. */
	receivedBy(cursor: Cursor): number;
	/** Rejects the callers that wait for the confirmation alone. */
	abandon(error: ExchangeError): void;
	/** Events that were read over REST for another purpose. */
	take(events: readonly TopicEvent[]): void;
	/** A notice, or another event that no message brought. */
	tell(event: TopicEvent): void;
	/** Events may be missing: the list is read, soon and again later. */
	requestReconcile(): void;
	timeOfService(at: number): number;
	status(): TopicStatus;
	stop(): void;
}

/** Without a definition of its topic it is a wildcard. */
export function createChannel(name: string, topic: Topic | undefined, ports: FeedPorts): Channel {
	const { clock, history } = ports;
	const stopped = new AbortController();
	const feed = createFeed(name, topic, ports, stopped.signal);
	const { state, callers } = feed;
	const wake = createWake(clock, look);
	feed.arm = arm;

	/** A timer rang: what waits for a read waits no longer, or a read is due. */
	function look(): void {
		if (stopped.signal.aborted) return;
		if (state.backlog && state.backlog.endsAt <= clock.now()) giveUpWaiting(feed);
		inBackground(readDue(feed));
		arm();
	}

	function arm(): void {
		const now = clock.now();
		const readsIn = wakesIn(state.schedule, now) ?? Infinity;
		const at = Math.min(now + readsIn, state.backlog?.endsAt ?? Infinity);
		wake(stopped.signal.aborted || !Number.isFinite(at) ? undefined : at);
	}

	arm();
	return {
		topic: name,
		isBook: feed.isBook,
		happened: (news, at = clock.now()) => {
			if (stopped.signal.aborted) return;
			if (news.type === 'data') return topic ? heard(feed, topic, news, at) : heardByWildcard(feed, news, at);
			subscriptionChanged(feed, news, at);
			// Whoever was told may have left, and the topic with them.
			arm();
			callers.look();
		},
		join: (subscriber) => join(feed, subscriber),
		ready: () => {
			if (state.isRefused) ports.resubscribe();
			return callers.wait(() => state.isConfirmed);
		},
		rejoin: (cursor) => rejoin(feed, cursor),
		leave: (subscriber, error) => leave(feed, subscriber, error),
		subscribers: () => [...feed.subscribers.values()],
		receivedBy: ({ before }) => state.received - before.received,
		abandon: (error) => callers.reject(error, (cursor) => cursor === undefined),
		take: (events) => void appendRows(feed, events),
		tell: (event) => tell(feed, event),
		resumeFrom: () => resumesFrom(feed),
		requestReconcile: () => doubt(feed, undefined, clock.now()),
		timeOfService: (at) => timeOfService(feed, at),
		status: () => topicStatus(feed, history?.place() ?? null),
		stop: () => {
			stopped.abort();
			wake(undefined);
		},
	};
}

function createFeed(name: string, topic: Topic | undefined, ports: FeedPorts, signal: AbortSignal): Feed {
	const { clock, random, policy, history, arrivals } = ports;
	const isBook = topic?.keeps === 'book';
	const isNumbered = topic?.keeps === 'sequence';
	// Nothing lists the events of a wildcard.
	const canRead = history !== undefined && topic !== undefined;
	const log = newLog(name, { isBook, isNumbered, isRead: canRead, arrivals });
	return {
		name,
		topic,
		isBook,
		canRead,
		ports,
		signal,
		isNumbered,
		state: newTopic(log, clock.now(), random(), canRead ? policy.readEveryMs : undefined),
		callers: createCallers(),
		subscribers: new Map(),
		arm: () => undefined,
	};
}
