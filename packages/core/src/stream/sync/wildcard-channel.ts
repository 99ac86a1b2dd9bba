import type { TopicStatus } from '../../catalogue';
import { ExchangeError } from '../../errors';
import { offerGap } from '../backfill/backfill';
import type { DataFrame } from '../connection/frames';
import { isCrowded, waitingOf } from '../delivery/queue';
import type { Subscriber } from '../delivery/subscriber';
import { summed } from '../delivery/tally';
import { createFailureLog, instant, type FailureLog } from '../failure';
import { WILDCARD_TOPICS_MAX } from '../limits';
import { noticeTexts } from '../notice-text';
import { eventsOf, topicOf } from '../topics';
import { createCopyCounter } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { bookMark } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import type { Channel } from './channel';
import type { ChannelPorts } from './runner';
import { lagOf, noMessageTimes, observeTime, serviceTime } from './message-times';
import { readingsOf } from './topic-status';
import { createTopicSubscribers, type TopicSubscribers } from './topic-subscribers';

/**
 * A wildcard such as `trades.*`, shared by all its subscribers. It is live only: it has no position to resume from and no
 * list behind it. Each event is offered under its exact topic. (Interface, part 6.)
 */
export function createWildcardChannel(name: string, ports: ChannelPorts): Channel {
	const { clock } = ports;
	const subscribers = createTopicSubscribers(name, () => undefined);
	const failures = createFailureLog(clock);
	const inbox = createWildcardInbox({ name, ports, subscribers, failures });
	let isConfirmed = false;
	/** Since when events may be missing. */
	let lostAt: number | undefined;

	function confirmed(): void {
		if (lostAt !== undefined) for (const subscriber of subscribers.all()) inbox.reportGap(subscriber, name, lostAt);
		lostAt = undefined;
		isConfirmed = true;
		subscribers.confirmed();
	}

	const nothing = (): void => undefined;
	return {
		topic: name,
		join: (subscriber) => {
			inbox.notice(subscriber, noticeTexts.wildcardLiveOnly);
			return subscribers.join(subscriber, { confirmation: !isConfirmed, baseline: false });
		},
		ready: () => subscribers.ready({ confirmation: !isConfirmed, baseline: false }),
		...{ leave: subscribers.leave, subscribers: subscribers.all, receive: inbox.receive, confirmed },
		refused: (error) => {
			const refusal = refusalOf(name, error);
			failures.record(refusal);
			subscribers.reject(refusal);
			ports.refused(refusal);
		},
		unavailable: (error, againMs) => {
			failures.record(error);
			for (const subscriber of subscribers.all())
				inbox.notice(subscriber, noticeTexts.unavailable(error.summary, againMs));
		},
		lost: () => {
			if (isConfirmed) lostAt ??= clock.now();
			isConfirmed = false;
		},
		abandon: (error) => subscribers.reject(error, 'anonymous'),
		tell: subscribers.tell,
		status: () => ({ ...inbox.status(), state: isConfirmed ? 'subscribed' : ports.state() }),
		// It has no position, no snapshot and nothing to read.
		...{ resumeFrom: () => undefined, requested: nothing, confirmedAgain: nothing, drops: () => false },
		...{ rejoin: nothing, flush: nothing, take: nothing, requestReconcile: nothing, stop: nothing },
	};
}

interface WildcardInboxPorts {
	name: string;
	ports: ChannelPorts;
	subscribers: TopicSubscribers;
	failures: FailureLog;
}

/** Receives the messages a wildcard means, and offers their events under their exact topics. */
function createWildcardInbox({ name, ports, subscribers, failures }: WildcardInboxPorts) {
	const { clock } = ports;
	const [copies, times] = [createCopyCounter(), noMessageTimes()];
	/** The exact topics that messages carried so far. */
	const topics = new Set<string>();
	let received = 0;

	const notice = (to: Subscriber, text: string, topic = name): void =>
		to.notice({ kind: 'degraded', state: ports.state(), topic, text });

	function receive(frame: DataFrame, at: number): void {
		const topic = isWithinLimit(frame.topic) ? topicOf(frame.topic) : undefined;
		if (!topic) return subscribers.all().forEach(({ counters }) => (counters.ignored += 1));
		topics.add(frame.topic);
		received += 1;
		observeTime(times, frame.ts, at);
		const events = eventsIn(frame, topic);
		for (const subscriber of subscribers.all())
			offer(subscriber, events, { ...frame, at, stale: topic.keeps === 'book' });
	}

	function isWithinLimit(topic: string): boolean {
		if (topics.has(topic) || topics.size < WILDCARD_TOPICS_MAX) return true;
		failures.record(noticeTexts.wildcardTooWide(WILDCARD_TOPICS_MAX));
		return false;
	}

	/** Numbers do not identify the events, because nothing tells here whether the service has restarted them. */
	function eventsIn({ topic: exact, data, ts, position }: DataFrame, topic: Topic): TopicEvent[] {
		const mark = topic.keeps === 'book' ? bookMark(position, ts, data) : '';
		return copies(eventsOf(topic, exact, data, ts, mark), position).map((event) => ({ ...event, sequence: undefined }));
	}

	function offer(
		subscriber: Subscriber,
		events: readonly TopicEvent[],
		{ topic, ts, position, length, at, stale }: DataFrame & { at: number; stale: boolean },
	): void {
		// The exact subscription of the same subscriber brings these events, the missed ones included.
		if (subscriber.consumer.topics.includes(topic) || !subscriber.wants(topic)) return;
		subscriber.counters.received += 1;
		if (subscriber.lagging.has(topic) && !isCrowded(subscriber.queue)) {
			subscriber.lagging.delete(topic);
			notice(subscriber, noticeTexts.wildcardTooSlow, topic);
			reportGap(subscriber, topic, at);
		}
		subscriber.offer(events, { topic, delivery: 'live', ts, position, stale, length, at });
	}

	/** What a wildcard missed cannot be read, so it is told. */
	function reportGap(subscriber: Subscriber, topic: string, since: number): void {
		const [from, to] = [since, clock.now()].map((at) => instant(serviceTime(times, at)));
		const gap = { after_created_at: from!, before_created_at: to! };
		offerGap(subscriber, gap, {
			...{ topic, done: 'not_readable' },
			notice: (to, said) => to.notice({ ...said, state: ports.state(), topic }),
		});
	}

	function status(): Omit<TopicStatus, 'state'> {
		const current = subscribers.all();
		const waitingFor = ({ queue }: Subscriber): number =>
			[...topics].reduce((all, topic) => all + waitingOf(queue, topic), 0);
		return {
			...{ topic: name, subscribers: current.length, epoch: null, seq: null },
			...lagOf(times),
			received,
			waiting: current.reduce((all, subscriber) => all + waitingFor(subscriber), 0),
			...summed(current.flatMap(({ cursor }) => [...topics].map((topic) => cursor(topic).tally))),
			readings: readingsOf({ done: 0, refused: 0, failed: 0 }, undefined, null),
			...failures.last(),
		};
	}

	return { receive, notice, reportGap, status };
}

/** The syntax of wildcards is not shown, so a refusal may mean that this service writes them in another way. */
const refusalOf = (name: string, { code, serviceMessage, serviceCode, what }: ExchangeError): ExchangeError =>
	new ExchangeError(code, {
		...{ operation: 'Stream', field: 'topics', serviceMessage, serviceCode },
		what: code === 'refused' ? `The service refuses the wildcard topic ${name}` : what,
		advice: 'Choose the pairs one by one, or type the pattern that the service uses instead of *',
	});
