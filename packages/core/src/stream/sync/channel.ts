import type { TopicStatus } from '../../catalogue';
import { isExchangeError, type ExchangeError } from '../../errors';
import { offerRead } from '../backfill/backfill';
import type { SessionChannel } from '../connection/session-channel';
import type { Subscriber } from '../delivery/subscriber';
import { noticeTexts } from '../notice-text';
import { oldestPosition, type Position } from '../position';
import { sequenceOf, type TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createTopicRunner, type ChannelPorts, type TopicRunner } from './runner';
import { topicStatus } from './topic-status';

/** One topic as the service knows it, shared by all subscribers. */
export interface Channel extends SessionChannel {
	/** Resolves when the topic is confirmed and the baseline is read, which tells old events from new ones. */
	join(subscriber: Subscriber): Promise<void>;
	/** Resolves when the topic is confirmed. For callers without a subscriber, which only need the subscription. */
	ready(): Promise<void>;
	/** Serves a lagging subscriber again, whose events were dropped. */
	rejoin(subscriber: Subscriber): void;
	leave(subscriber: Subscriber): void;
	subscribers(): readonly Subscriber[];
	stop(): void;
	/** Updates the counters and positions of the bystanders. */
	flush(): void;
	/** Rejects the callers without a subscriber that still wait for the confirmation. */
	abandon(error: ExchangeError): void;
	/** Offers events that were read over REST for another purpose. */
	take(events: TopicEvent[]): void;
	/** Offers a notice to every subscriber. */
	tell(notice: TopicEvent): void;
	status(): TopicStatus;
	/** Events may be missing: backfills over REST, soon and again later. */
	requestReconcile(): void;
}

/** Tells the runner of a topic what happens to it. */
export function createChannel(name: string, topic: Topic, ports: ChannelPorts): Channel {
	const isBook = topic.keeps === 'book';
	const runner = createTopicRunner(name, topic, ports);
	const { state, subscribers, serving, bystanders, failures, happened, place, notice } = runner;

	function join(subscriber: Subscriber): Promise<void> {
		const { isConfirmed, isRefused, requested } = state;
		const isAsked = isConfirmed && (isBook || subscriber.cursor(name).start !== 'new');
		const joined = subscribers.join(subscriber, { confirmation: !isConfirmed || isAsked, baseline: true });
		// Changes are useless without the snapshot, so the subscriber lags until it arrives.
		if (isBook && isConfirmed) subscriber.lagging.add(name);
		serving.baseline(subscriber).catch((error: ExchangeError) => {
			// A key without read permission is reported, and live events are delivered all the same.
			const isLeft = !subscriber.consumer.retriesFirstConnection && !isExchangeError(error, 'forbidden');
			if (isLeft) subscribers.leave(subscriber, error);
		});
		if (topic.backfill === 'live-only') notice(subscriber, { kind: 'degraded', text: noticeTexts.liveOnly });
		// The replay of a pending subscription does not cover an older position.
		const position = resumeFrom();
		const isTooLate = requested !== undefined && position !== undefined && position.seq !== requested.from?.seq;
		if (isRefused || isAsked || isTooLate) ports.resubscribe();
		else if (isConfirmed) place(subscriber);
		return joined;
	}

	function rejoin(subscriber: Subscriber): void {
		const isAsked = subscribers.isRejoining(subscriber);
		subscribers.rejoin(subscriber);
		// The subscriber of a book stays lagging until the snapshot arrives.
		if (!isBook) subscriber.lagging.delete(name);
		if (!isBook || !isAsked) ports.resubscribe();
	}

	function resumeFrom(): Position | undefined {
		// A book starts from a snapshot, so it is never resumed.
		if (isBook) return undefined;
		bystanders.flush();
		const upToDate = subscribers.all().filter(({ lagging }) => !lagging.has(name));
		return oldestPosition(
			state.sequence.position,
			upToDate.map(({ cursor }) => cursor(name).offered.position),
		);
	}

	function take(events: TopicEvent[]): void {
		runner.heard(events);
		for (const subscriber of serving.served())
			offerRead(subscriber, events, { topic: name, observed: ports.observed, notice });
	}

	function ready(): Promise<void> {
		if (state.isRefused) ports.resubscribe();
		return subscribers.ready({ confirmation: !state.isConfirmed, baseline: false });
	}

	function status(): TopicStatus {
		bystanders.flush();
		const own = ports.history?.place() ?? null;
		return topicStatus(name, { state, subscribers, failures, place: own, connection: ports.state() });
	}

	return {
		topic: name,
		join,
		rejoin,
		resumeFrom,
		status,
		ready,
		leave: subscribers.leave,
		subscribers: subscribers.all,
		stop: runner.stop,
		flush: bystanders.flush,
		abandon: (error) => subscribers.reject(error, 'anonymous'),
		...connectionSide(name, runner, ports),
		requested: (position) => happened({ type: 'requested', resumeFrom: position, from: resumeFrom() }),
		take,
		tell: subscribers.tell,
		requestReconcile: () => happened({ type: 'doubted' }),
	};
}

/** What the connection tells. */
function connectionSide(
	name: string,
	{ subscribers, bystanders, failures, receive, happened, warn }: TopicRunner,
	{ refused }: Pick<ChannelPorts, 'refused'>,
): Omit<SessionChannel, 'topic' | 'resumeFrom' | 'requested'> {
	return {
		receive,
		drops: (at) => {
			const isDropped = subscribers.drops();
			if (isDropped) bystanders.skip(at);
			return isDropped;
		},
		confirmed: (head, snapshot, resumedFrom) => {
			const isReturning = subscribers.all().some(({ cursor }) => cursor(name).start !== 'new');
			const book = snapshot === undefined || snapshot === null ? undefined : { sequence: sequenceOf(snapshot) };
			happened({ type: 'confirmed', head, resumedFrom, isReturning, book }, { snapshot });
		},
		confirmedAgain: (head) => happened({ type: 'confirmed_again', head }),
		refused: (error) => {
			failures.record(error);
			happened({ type: 'refused' });
			subscribers.reject(error);
			refused(error);
		},
		unavailable: (error, againMs) => {
			failures.record(error);
			warn(noticeTexts.unavailable(error.summary, againMs));
		},
		lost: () => {
			subscribers.lost();
			happened({ type: 'lost' });
		},
	};
}
