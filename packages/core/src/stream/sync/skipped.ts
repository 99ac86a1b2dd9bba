import type { Subscriber } from '../delivery/subscriber';
import type { Position } from '../position';
import type { TopicEvent } from '../topics/event';

/**
 * Messages that were not offered to bystanders: subscribers of a topic whose filters let none of its events pass. Their
 * counters and positions are updated at intervals, so the cost of an event depends on interested subscribers only.
 */
export interface Skipped {
	count: number;
	/** The range of sequences of the skipped events, if they have any. */
	least: number;
	most: number;
	flushedAt: number;
}

const FLUSH_EVERY_MS = 1_000;

export const noneSkipped = (flushedAt = Number.NEGATIVE_INFINITY): Skipped => ({
	count: 0,
	least: Number.POSITIVE_INFINITY,
	most: Number.NEGATIVE_INFINITY,
	flushedAt,
});

/** Counts one more, in place; returns whether it is time to settle. */
export function skip(skipped: Skipped, at: number, events: readonly TopicEvent[] = []): boolean {
	skipped.count += 1;
	for (const { sequence } of events) {
		if (sequence === undefined) continue;
		skipped.least = Math.min(skipped.least, sequence);
		skipped.most = Math.max(skipped.most, sequence);
	}
	if (at - skipped.flushedAt < FLUSH_EVERY_MS) return false;
	skipped.flushedAt = at;
	return true;
}

/** Updates the counters of the bystanders of a topic, and moves their positions to that of the topic. */
export function flushSkipped(
	{ count, least, most }: Skipped,
	bystanders: readonly Subscriber[],
	{ topic, position }: { topic: string; position: Position | undefined },
): void {
	for (const subscriber of bystanders) {
		subscriber.counters.received += count;
		subscriber.counters.filtered += count;
		subscriber.cursor(topic).tally.filtered += count;
		if (most >= least) subscriber.cover(topic, least - 1, most);
		if (position) subscriber.advance(topic, position);
	}
}
