import { isItem } from '../../wire/payload';
import { sequenceOf, type TopicMessage, type TopicEvent } from './event';
import type { BookTopic } from './topic';

export const orderBook: BookTopic = {
	keeps: 'book',
	snapshot: 'market.orderBook',
};

/** A change of a book, or a whole snapshot. `mark` makes its key unique within the topic. */
export function bookEvent(topic: string, data: unknown, mark: string): TopicEvent {
	const item = isItem(data) ? data : undefined;
	return { key: `${topic}:${mark}`, data, item, sequence: sequenceOf(item) };
}

/** Identifies one change. A position may come again; together with the book's own sequence it does not. */
export const bookMark = ({ position, ts, data }: TopicMessage): string =>
	[position ? `${position.epoch}:${position.seq}` : String(ts), sequenceOf(data) ?? []].flat().join(':');
