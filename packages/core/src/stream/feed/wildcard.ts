import type { DataFrame } from '../connection/frames';
import { WILDCARD_TOPICS_MAX } from '../limits';
import { append } from '../log/log';
import { noticeTexts } from '../notice-text';
import { topicOf } from '../topics';
import { failed, wake, type Feed } from './feed';
import { eventsIn } from './live';
import { observeTime } from './message-times';

/**
 * Handles a message of a wildcard such as `trades.*`: each event is delivered under its exact topic. (Interface, part
 * 6.)
 */
export function heardByWildcard(feed: Feed, frame: DataFrame, at: number): void {
	const { state } = feed;
	const { topic: exact, ts, position, length } = frame;
	state.log.received += 1;
	observeTime(state.times, ts, at);
	const topic = isWithinLimit(feed, exact) ? topicOf(exact) : undefined;
	if (!topic) {
		for (const { seen } of feed.subscribers.values()) seen.ignored += 1;
		return;
	}
	state.exact.add(exact);
	// Numbers do not identify the events, because nothing tells here whether the service has restarted them.
	const events = eventsIn(topic, state, frame).map((event) => ({ ...event, sequence: undefined }));
	const arrival = {
		topic: exact,
		delivery: 'live' as const,
		ts,
		position,
		stale: topic.keeps === 'book',
		length: length / events.length,
		isRead: false,
		now: at,
	};
	for (const event of events) append(state.log, event, arrival);
	wake(feed);
}

function isWithinLimit(feed: Feed, topic: string): boolean {
	const { exact } = feed.state;
	if (exact.has(topic) || exact.size < WILDCARD_TOPICS_MAX) return true;
	failed(feed, noticeTexts.wildcardTooWide(WILDCARD_TOPICS_MAX));
	return false;
}
