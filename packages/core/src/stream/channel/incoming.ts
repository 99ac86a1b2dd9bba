import type { DataFrame } from '../connection/frames';
import type { Arrival } from '../delivery/admission';
import { passChange } from '../sync/book-sequence';
import { reachAll } from '../sync/sequence';
import type { TopicState } from '../sync/state';
import { eventsOf } from '../topics';
import { numberCopiesAt } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { bookMark } from '../topics/order-book';
import type { Topic } from '../topics/topic';

/** The events of a message of an exact topic, and how they arrived; undefined for a change that the book has already. */
export function incomingOf(
	topic: Topic,
	state: TopicState,
	frame: DataFrame,
	{ isReplay, at }: { isReplay: boolean; at: number },
): { events: readonly TopicEvent[]; arrival: Arrival } | undefined {
	const { topic: name, ts, position, length } = frame;
	const isBook = topic.keeps === 'book';
	const events = eventsIn(topic, state, frame);
	if (isBook && !passChange(state.book, events[0]?.sequence)) return undefined;
	if (topic.keeps === 'sequence') reachAll(state.sequence, events, at);
	const delivery = isReplay ? 'replayed' : 'live';
	const stale = isBook && !state.book.isSound;
	return { events, arrival: { topic: name, delivery, ts, position, stale, length, at } };
}

export function eventsIn(
	topic: Topic,
	{ copies }: TopicState,
	{ topic: name, position, ts, data }: DataFrame,
): readonly TopicEvent[] {
	const mark = topic.keeps === 'book' ? bookMark(position, ts, data) : '';
	return numberCopiesAt(copies, eventsOf(topic, name, data, ts, mark), position);
}
