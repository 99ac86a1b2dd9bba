import type { DataFrame } from '../connection/frames';
import type { Arrival } from '../delivery/admission';
import { passChange } from '../sync/book-sequence';
import { reachAll } from '../sync/sequence';
import type { TopicState } from '../sync/state';
import { eventsOf } from '../topics';
import { createCopyCounter } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { bookMark } from '../topics/order-book';
import type { Topic } from '../topics/topic';

/** The events of a message, and how they arrived; undefined for a change that the book has already. */
type Incoming = (
	frame: DataFrame,
	isReplay: boolean,
	at: number,
) => { events: readonly TopicEvent[]; arrival: Arrival } | undefined;

/** Reads the events of an exact topic from its messages. */
export function createIncoming(name: string, topic: Topic, state: TopicState): Incoming {
	const isBook = topic.keeps === 'book';
	const copies = createCopyCounter();
	return ({ position, ts, data, length }, isReplay, at) => {
		const events = copies(eventsOf(topic, name, data, ts, isBook ? bookMark(position, ts, data) : ''), position);
		if (isBook && !passChange(state.book, events[0]?.sequence)) return undefined;
		if (topic.keeps === 'sequence') reachAll(state.sequence, events, at);
		const delivery = isReplay ? 'replayed' : 'live';
		const stale = isBook && !state.book.isSound;
		return { events, arrival: { topic: name, delivery, ts, position, stale, length, at } };
	};
}
