import type { TopicStatus } from '../../catalogue';
import type { ExchangeError } from '../../errors';
import { offerRead } from '../backfill/offers';
import type { SessionChannel } from '../connection/session-channel';
import type { Subscriber } from '../delivery/subscriber';
import { noticeTexts } from '../notice-text';
import { resumesFrom } from '../sync/positions';
import { areAllUninterested, isReady, served } from '../sync/subscribers';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createTopicRunner, type ChannelPorts } from './runner';
import { topicStatus } from './status';

/** One topic as the service knows it, or a wildcard, shared by all subscribers. */
export interface Channel extends SessionChannel {
	/** Resolves when the topic is confirmed and the baseline is read, which tells old events from new ones. */
	join(subscriber: Subscriber): Promise<void>;
	/** Resolves when the topic is confirmed. For callers without a subscriber, which only need the subscription. */
	ready(): Promise<void>;
	/** Serves a lagging subscriber again, whose events were dropped. */
	rejoin(subscriber: Subscriber): void;
	/** Removes a subscriber. If it was still waiting, its promise is rejected with the error. */
	leave(subscriber: Subscriber, error?: ExchangeError): void;
	subscribers(): readonly Subscriber[];
	stop(): void;
	/** Has the counters of all subscribers include every message. */
	flush(): void;
	/** Rejects the callers without a subscriber that still wait for the confirmation. */
	abandon(error: ExchangeError): void;
	/** Offers events that were read over REST for another purpose. */
	take(events: TopicEvent[]): void;
	/** Offers a notice, or another event that no message brought, to every subscriber. */
	tell(event: TopicEvent): void;
	status(): TopicStatus;
	/** Events may be missing: backfills over REST, soon and again later. */
	requestReconcile(): void;
}

/** Tells the runner of a topic what happens to it. */
export function createChannel(name: string, topic: Topic | undefined, ports: ChannelPorts): Channel {
	const { rules, state, notices, callers, happened, heard, flush, leave, stop } = createTopicRunner(name, topic, ports);
	const { subscribers } = state;

	function join(subscriber: Subscriber): Promise<void> {
		const { start } = subscriber.cursor(name);
		const needsBaseline = rules.canRead && !rules.isBook && start !== 'stored';
		if (topic && !needsBaseline) subscriber.begin(name);
		// Changes are useless without the snapshot, so the subscriber lags until it arrives.
		if (rules.isBook && state.isConfirmed) subscriber.queue.lagging.set(name, ports.clock.now());
		flush();
		const [isReturning, isInterested] = [start !== 'new', subscriber.wants(name)];
		happened({ type: 'joined', subscriber, needsBaseline, isReturning, isInterested });
		if (!topic) notices.warn([subscriber], noticeTexts.wildcardLiveOnly);
		else if (topic.backfill === 'live-only') notices.warn([subscriber], noticeTexts.liveOnly);
		return callers.wait(() => isReady(subscribers.get(subscriber)), subscriber);
	}

	function rejoin(subscriber: Subscriber): void {
		// The subscriber of a book stays lagging until the snapshot arrives.
		if (!rules.isBook && subscribers.has(subscriber)) subscriber.queue.lagging.delete(name);
		happened({ type: 'rejoined', subscriber });
	}

	function ready(): Promise<void> {
		if (state.isRefused) ports.resubscribe();
		return callers.wait(() => state.isConfirmed);
	}

	function take(events: TopicEvent[]): void {
		heard(events);
		for (const subscriber of served(subscribers, name))
			offerRead(subscriber, events, { topic: name, notice: notices.notice });
	}

	function drops(at: number): boolean {
		if (!areAllUninterested(subscribers)) return false;
		state.received += 1;
		flush(at);
		return true;
	}

	return {
		...{ topic: name, join, rejoin, leave, ready, take, flush, stop, happened, drops },
		subscribers: () => [...subscribers.keys()],
		tell: notices.tell,
		resumeFrom: () => {
			flush();
			return resumesFrom(rules, state);
		},
		status: () => topicStatus(name, { state, place: ports.history?.place() ?? null, connection: ports.state() }),
		abandon: (error) => callers.reject(error, (waiting) => waiting === undefined),
		requestReconcile: () => happened({ type: 'doubted' }),
	};
}
