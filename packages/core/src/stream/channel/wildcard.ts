import type { DataFrame } from '../connection/frames';
import { isCrowded } from '../delivery/queue';
import { WILDCARD_TOPICS_MAX } from '../limits';
import { noticeTexts } from '../notice-text';
import type { TopicState } from '../sync/state';
import { eventsOf, topicOf } from '../topics';
import { createCopyCounter } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { bookMark } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import type { TopicNotices } from './notices';

/** Delivers the messages of a wildcard such as `trades.*`, each event under its exact topic. (Interface, part 6.) */
export function createWildcard({ exact: topics, subscribers }: TopicState, notices: TopicNotices) {
	const copies = createCopyCounter();

	function isWithinLimit(topic: string): boolean {
		if (topics.has(topic) || topics.size < WILDCARD_TOPICS_MAX) return true;
		notices.failed(noticeTexts.wildcardTooWide(WILDCARD_TOPICS_MAX));
		return false;
	}

	/** Numbers do not identify the events, because nothing tells here whether the service has restarted them. */
	function eventsIn({ topic: exact, data, ts, position }: DataFrame, topic: Topic): TopicEvent[] {
		const mark = topic.keeps === 'book' ? bookMark(position, ts, data) : '';
		return copies(eventsOf(topic, exact, data, ts, mark), position).map((event) => ({ ...event, sequence: undefined }));
	}

	return (frame: DataFrame, at: number): void => {
		const { topic: exact, ts, position, length } = frame;
		const topic = isWithinLimit(exact) ? topicOf(exact) : undefined;
		if (!topic) return subscribers.forEach((_, { counters }) => (counters.ignored += 1));
		topics.add(exact);
		const events = eventsIn(frame, topic);
		const stale = topic.keeps === 'book';
		for (const subscriber of subscribers.keys()) {
			// The exact subscription of the same subscriber brings these events, the missed ones included.
			if (subscriber.consumer.topics.includes(exact) || !subscriber.wants(exact)) continue;
			subscriber.counters.received += 1;
			if (subscriber.queue.lagging.has(exact) && !isCrowded(subscriber.queue)) {
				subscriber.queue.lagging.delete(exact);
				notices.warn([subscriber], noticeTexts.wildcardTooSlow, exact);
				notices.gap([subscriber], at, exact);
			}
			subscriber.offer(events, { topic: exact, delivery: 'live', ts, position, stale, length, at });
		}
	};
}
