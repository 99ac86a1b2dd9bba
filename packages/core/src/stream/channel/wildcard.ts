import type { DataFrame } from '../connection/frames';
import { isCrowded } from '../delivery/queue';
import { WILDCARD_TOPICS_MAX } from '../limits';
import { noticeTexts } from '../notice-text';
import type { TopicState } from '../sync/state';
import { topicOf } from '../topics';
import { eventsIn } from './incoming';
import type { TopicNotices } from './notices';

/** Delivers a message of a wildcard such as `trades.*`, each event under its exact topic. (Interface, part 6.) */
export function deliverWildcard(state: TopicState, notices: TopicNotices, frame: DataFrame, at: number): void {
	const { topic: exact, ts, position, length } = frame;
	const { subscribers } = state;
	const topic = isWithinLimit(state, notices, exact) ? topicOf(exact) : undefined;
	if (!topic) return subscribers.forEach((_, { counters }) => (counters.ignored += 1));
	state.exact.add(exact);
	// Numbers do not identify the events, because nothing tells here whether the service has restarted them.
	const events = eventsIn(topic, state, frame).map((event) => ({ ...event, sequence: undefined }));
	const stale = topic.keeps === 'book';
	for (const subscriber of subscribers.keys()) {
		// The exact subscription of the same subscriber brings these events, the missed ones included.
		if (subscriber.consumer.topics.includes(exact) || !subscriber.wants(exact)) continue;
		subscriber.counters.received += 1;
		const since = subscriber.queue.lagging.get(exact);
		if (since !== undefined && !isCrowded(subscriber.queue)) {
			subscriber.queue.lagging.delete(exact);
			notices.warn([subscriber], noticeTexts.wildcardTooSlow, exact);
			notices.gap([subscriber], since, exact);
		}
		subscriber.offer(events, { topic: exact, delivery: 'live', ts, position, stale, length, at });
	}
}

function isWithinLimit({ exact }: TopicState, notices: TopicNotices, topic: string): boolean {
	if (exact.has(topic) || exact.size < WILDCARD_TOPICS_MAX) return true;
	notices.failed(noticeTexts.wildcardTooWide(WILDCARD_TOPICS_MAX));
	return false;
}
