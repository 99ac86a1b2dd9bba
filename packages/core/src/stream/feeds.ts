import type { Account } from '../account';
import { inBackground } from '../background';
import { isPrivate, isWildcard, topicNames } from '../catalogue';
import { ExchangeError } from '../errors';
import { excerpt } from '../redaction';
import { createAlarm } from './alarm';
import { lookAll, type Feed, type FeedPorts } from './feed/feed';
import { join, leave } from './feed/join';
import { giveUpWaiting, heard, heardByWildcard } from './feed/live';
import { readDue } from './feed/reading';
import { wakesAt } from './feed/schedule';
import { resumesFrom, subscriptionChanged } from './feed/subscription-news';
import { newTopic } from './feed/topic-state';
import { newLog, type Log } from './log/log';
import type { Subscriber } from './subscriber';
import { topicOf } from './topics';

/** The topics of a stream, and their subscribers. A topic exists as long as somebody subscribes to it. */
export interface Feeds {
	join(topic: string, subscriber: Subscriber): void;
	/** The subscriber leaves all its topics. */
	leave(subscriber: Subscriber): void;
	get(topic: string): Feed | undefined;
	all(): Feed[];
	subscribersOf(topics: Iterable<string>): Subscriber[];
}

export function createFeeds(ports: FeedPorts): Feeds {
	const { connections } = ports;
	const feeds = new Map<string, Feed>();
	const arrivals = { count: 0 };

	return {
		join: (name, subscriber) => {
			const before = feeds.get(name);
			const feed = before ?? createFeed(name, arrivals, ports);
			feeds.set(name, feed);
			join(feed, subscriber);
			// The subscriber's position decides where to resume, so it joins before the subscription is sent.
			if (!before) connections().attach(name);
		},
		leave: (subscriber) => {
			for (const name of subscriber.cursors.keys()) {
				const feed = feeds.get(name)!;
				leave(feed, subscriber);
				if (feed.subscribers.size > 0) continue;
				feeds.delete(name);
				connections().detach(name);
				feed.stop();
			}
		},
		get: (topic) => feeds.get(topic),
		all: () => [...feeds.values()],
		subscribersOf: (topics) => [
			...new Set([...topics].flatMap((topic) => [...(feeds.get(topic)?.subscribers.values() ?? [])])),
		],
	};
}

/** A topic at work. Without a definition of its topic it is a wildcard, whose events nothing lists. */
function createFeed(name: string, arrivals: Log['arrivals'], ports: FeedPorts): Feed {
	const { clock, random, policy } = ports;
	const history = ports.reads?.of(name);
	const topic = topicOf(name);
	const [isBook, isNumbered] = [topic?.keeps === 'book', topic?.keeps === 'sequence'];
	const isFollowed = topic?.keeps === 'events' && topic.isFollowed;
	const canRead = history !== undefined && topic !== undefined;
	const log = newLog(name, { isBook, isNumbered, isFollowed, hasList: canRead, arrivals });
	const state = newTopic(log, clock.now(), random(), canRead ? policy.readEveryMs : undefined);
	const stopped = new AbortController();
	const { signal } = stopped;
	const setAlarm = createAlarm(clock, look);

	/** A timer rang: what waits for a read waits no longer, or a read is due. */
	function look(): void {
		if (signal.aborted) return;
		if (state.backlog && state.backlog.endsAt <= clock.now()) giveUpWaiting(feed);
		inBackground(readDue(feed));
		arm();
	}

	function arm(): void {
		const { schedule, backlog } = state;
		setAlarm(signal.aborted ? Infinity : Math.min(wakesAt(schedule, clock.now()), backlog?.endsAt ?? Infinity));
	}

	const feed: Feed = {
		name,
		topic,
		isBook,
		isNumbered,
		history,
		canRead,
		state,
		ports,
		signal,
		arm,
		subscribers: new Map(),
		resumeFrom: () => resumesFrom(feed),
		happened: (news, at = clock.now()) => {
			if (signal.aborted) return;
			if (news.type === 'data') return topic ? heard(feed, topic, news, at) : heardByWildcard(feed, news, at);
			subscriptionChanged(feed, news, at);
			// A subscriber may have left in its callback, and the topic with it.
			arm();
			lookAll(feed);
		},
		stop: () => {
			stopped.abort();
			arm();
		},
	};
	arm();
	return feed;
}

/** Refuses a topic the service does not have, and a private one without a key, before anything is sent. */
export function assertTopic(name: string, { apiKey }: Account): void {
	if (!topicOf(name) && !isWildcard(name))
		throw new ExchangeError('invalid_input', {
			operation: 'Stream',
			field: 'topics',
			what: `There is no topic ${excerpt(name, apiKey).slice(0, 64)}`,
			advice: `Choose one of ${topicNames}; the key of a pair is written as in trades.USD_NGN, all pairs as in trades.*`,
		});
	if (isPrivate(name) && apiKey === '')
		throw new ExchangeError('invalid_account', {
			operation: 'Stream',
			field: 'apiKey',
			what: `API Key is missing: the topic ${name} needs it`,
		});
}
