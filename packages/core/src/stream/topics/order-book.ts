import { isItem } from '../../wire/payload';
import { recordsIn, sequenceOf, type TopicEvent } from './event';
import type { Topic } from './topic';

export const orderBook: Topic = {
	records: (payload) => recordsIn(payload, [], () => true),
	// A change is known by its place on the stream, and a snapshot by the reading that brought it.
	identify: () => undefined,
	order: 'snapshot',
	backfill: { from: 'snapshot', read: 'market.orderBook' },
};

/** A change of a book, or a whole one: `mark` tells it from the others of its topic. */
export function bookEvent(topic: string, data: unknown, mark: string): TopicEvent {
	const item = isItem(data) ? data : undefined;
	return { key: `${topic}:${mark}`, data, item, sequence: sequenceOf(item) };
}
