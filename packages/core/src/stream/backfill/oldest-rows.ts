import type { Subscriber } from '../delivery/subscriber';
import { FULL_PAGE_MIN } from '../limits';
import type { TopicEvent } from '../topics/event';

/** The oldest rows of one backfill. */
export interface OldestRows {
	/** Rows it read, each counted once although pages overlap, up to as many as a full page has. */
	keys: Set<string>;
	/** When the oldest were created, */
	time: number;
	/** and the subscribers that knew none of them. */
	strangers: Set<Subscriber>;
}

export const noRows = (): OldestRows => ({ keys: new Set(), time: Number.POSITIVE_INFINITY, strangers: new Set() });

/** Records rows before they are offered, in place. A row without an identifier of its own may be a known one. */
export function observeOldest(
	oldest: OldestRows,
	events: readonly TopicEvent[],
	{ topic, served }: { topic: string; served: Iterable<Subscriber> },
): void {
	for (const event of events) {
		const { key, time, isAnonymous } = event;
		if (oldest.keys.size < FULL_PAGE_MIN) oldest.keys.add(key);
		if (time === undefined || time > oldest.time) continue;
		if (time < oldest.time) oldest.strangers = new Set(served);
		oldest.time = time;
		for (const subscriber of oldest.strangers) {
			const cursor = subscriber.cursor(topic);
			// Keys up to a place were forgotten, so a row before it may be known.
			const mayBeKnown = isAnonymous || time <= (cursor.forgotten() ?? Number.NEGATIVE_INFINITY);
			if (mayBeKnown || cursor.isKnown(event)) oldest.strangers.delete(subscriber);
		}
	}
}
