import type { DataFrame } from '../connection/frames';
import { eventsOf } from '../topics';
import { createCopyCounter } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { bookEvent, bookMark } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import { passChange } from './book-sequence';
import { reachAll } from './sequence';
import { noneSkipped, settleSkipped, skip } from './skipped';
import type { TopicState } from './state';
import type { Subscribers } from './subscribers';

/** Offers the events of one topic to its subscribers. */
export interface FanOut {
	deliver(frame: DataFrame, isReplay: boolean, at: number): void;
	/** Offers the snapshot of a book that came with a confirmation. */
	offerBook(snapshot: unknown, at: number): void;
	/** Whether a message can be dropped unread. Counts it if so. */
	drops(isRepeated: boolean, at: number): boolean;
	/** Updates the counters and positions of the bystanders. */
	settle(): void;
}

export interface FanOutPorts {
	name: string;
	topic: Topic;
	state: TopicState;
	subscribers: Subscribers;
	/** Events arrived. */
	heard(events: readonly TopicEvent[]): void;
	/** Updates of orders arrived, perhaps repeated. */
	moved(events: readonly TopicEvent[]): void;
}

export function createFanOut({ name, topic, state, subscribers, heard, moved }: FanOutPorts): FanOut {
	const isBook = topic.keeps === 'book';
	const copies = createCopyCounter();
	let snapshots = 0;

	function deliver({ position, ts, data, length }: DataFrame, isReplay: boolean, at: number): void {
		const events = copies(eventsOf(topic, name, data, ts, isBook ? bookMark(position, ts, data) : ''), position);
		if (isBook && !passChange(state.book, events[0]?.sequence)) return;
		if (topic.keeps === 'sequence' || isBook) reachAll(state.sequence, events, at);
		heard(events);
		if (events[0]?.order) moved(events);
		const delivery = isReplay ? 'replayed' : 'live';
		const stale = isBook && !state.book.isSound;
		const arrival = { topic: name, delivery, ts, position, stale, length, at } as const;
		const behind = subscribers.lagging();
		for (const subscriber of subscribers.interested()) {
			// A replay begins where another one was; what this one missed since it joined, its reading shows.
			if (isReplay && subscribers.joined().has(subscriber)) continue;
			subscriber.offer(events, arrival);
			// A lagging subscriber still has to get a replay of what it missed, so its position stays.
			if (position && !behind.has(subscriber)) subscriber.advance(name, position);
		}
		skipped(at, events);
	}

	function skipped(at: number, events?: readonly TopicEvent[]): void {
		if (subscribers.bystanders().length > 0 && skip(state.skipped, at, events)) settle();
	}

	function settle(): void {
		if (state.skipped.count === 0) return;
		settleSkipped(state.skipped, subscribers.bystanders(), { topic: name, position: state.sequence.position });
		state.skipped = noneSkipped(state.skipped.settledAt);
	}

	return {
		deliver,
		offerBook: (snapshot, at) => {
			// After a pause, several confirmations may arrive in the same millisecond.
			subscribers.tell(bookEvent(name, snapshot, `snapshot:${at}:${(snapshots += 1)}`));
		},
		drops: (isRepeated, at) => subscribers.drops(isRepeated) && (skipped(at), true),
		settle,
	};
}
