import type { Subscriber } from '../delivery/subscriber';
import { isKnown } from '../ledger/judge';
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
	for (const { key } of events) {
		if (oldest.keys.size >= FULL_PAGE_MIN) break;
		oldest.keys.add(key);
	}
	const least = events.reduce((first, { time = first }) => Math.min(first, time), oldest.time);
	if (least < oldest.time) oldest.strangers = new Set(served);
	oldest.time = least;
	const first = events.filter(({ time }) => time === least);
	if (first.length === 0) return;
	for (const subscriber of oldest.strangers) {
		const { offered } = subscriber.cursor(topic);
		// Keys up to a place were forgotten, so a row before it may be known.
		const mayBeKnown = least <= (offered.keys.forgotten ?? Number.NEGATIVE_INFINITY);
		const mayBe = (event: TopicEvent) => event.isAnonymous === true || isKnown(offered, event);
		if (mayBeKnown || first.some(mayBe)) oldest.strangers.delete(subscriber);
	}
}
