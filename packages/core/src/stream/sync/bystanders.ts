import type { Subscriber } from '../delivery/subscriber';
import type { Position } from '../position';
import type { TopicEvent } from '../topics/event';

/**
 * Subscribers of a topic whose filters let none of its events pass. Events are not offered to them one by one: their
 * counters and positions are updated at intervals, so the cost of an event depends on interested subscribers only.
 */
export interface Bystanders {
	/** A message arrived that was offered to other subscribers only, or was dropped unread. */
	skipped(at: number, events?: readonly TopicEvent[]): void;
	/** Replaces the subscribers. Messages skipped so far count for the previous ones only. */
	are(subscribers: readonly Subscriber[]): void;
	/** Updates the counters, and moves the positions to that of the topic. */
	settle(): void;
}

const SETTLE_EVERY_MS = 1_000;

export function createBystanders(topic: string, position: () => Position | undefined): Bystanders {
	let present: readonly Subscriber[] = [];
	let count = 0;
	let settledAt = Number.NEGATIVE_INFINITY;
	/** The range of sequences of the skipped events, if they have any. */
	let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

	function settle(): void {
		if (count === 0) return;
		const reached = position();
		for (const subscriber of present) {
			subscriber.counters.received += count;
			subscriber.counters.filtered += count;
			subscriber.tally(topic).filtered += count;
			if (most >= least) subscriber.cover(topic, least - 1, most);
			if (reached) subscriber.advance(topic, reached);
		}
		count = 0;
		[least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
	}

	return {
		skipped: (at, events = []) => {
			if (present.length === 0) return;
			count += 1;
			for (const { sequence } of events) {
				if (sequence === undefined) continue;
				least = Math.min(least, sequence);
				most = Math.max(most, sequence);
			}
			if (at - settledAt < SETTLE_EVERY_MS) return;
			settledAt = at;
			settle();
		},
		are: (subscribers) => {
			settle();
			present = subscribers;
		},
		settle,
	};
}
