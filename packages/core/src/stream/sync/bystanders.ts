import type { Subscriber } from '../delivery/subscriber';
import type { Position } from '../position';
import type { TopicEvent } from '../topics/event';

/**
 * Subscribers of a topic whose filters let nothing of it pass. What arrives is not offered to them one by one: now and then
 * they are counted and moved past all of it, so that an event costs what those who want it cost.
 */
export interface Bystanders {
	/** A message came for others, or was not even read. */
	skipped(at: number, events?: readonly TopicEvent[]): void;
	/** Those who are there now; nothing that was skipped before concerns them. */
	are(subscribers: readonly Subscriber[]): void;
	/** Moves them to where the topic stands. */
	settle(): void;
}

const SETTLE_EVERY_MS = 1_000;

export function createBystanders(topic: string, position: () => Position | undefined): Bystanders {
	let present: readonly Subscriber[] = [];
	let count = 0;
	let settledAt = Number.NEGATIVE_INFINITY;
	/** The numbers of the skipped events, where they have any. */
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
