import { mayRestart } from '../delivery/cursor';
import type { Subscriber } from '../delivery/subscriber';
import { reach } from '../ledger/ledger';
import { oldestPosition, type Position } from '../position';
import type { TopicRules } from './effects';
import type { TopicState } from './state';

/** Gives a new subscriber the position of a topic, so that it can resume even if no event ever arrives. */
export function place(topic: string, { sequence, backlog }: TopicState, subscriber: Subscriber): void {
	const { position } = sequence;
	const { offered } = subscriber.cursor(topic);
	if (!position || offered.position) return;
	// Messages that wait are not delivered yet, so this is not stored as taken, but it tells which run of the service it is.
	if (backlog && backlog.frames.length > 0) reach(offered, position);
	else subscriber.advance(topic, position);
}

/**
 * From where a subscription is resumed: the oldest position of the subscribers. Those whose queue dropped events are served
 * from the next confirmation on. A book begins with a snapshot, so it is never resumed.
 */
export function resumesFrom(
	{ topic, isBook }: TopicRules,
	{ sequence, subscribers }: TopicState,
): Position | undefined {
	if (isBook) return undefined;
	const upToDate = [...subscribers.keys()].filter(({ queue }) => !queue.lagging.has(topic));
	return oldestPosition(
		sequence.position,
		upToDate.map(({ cursor }) => cursor(topic).offered.position),
	);
}

/**
 * Compares the run of each subscriber's numbers with that of the service, where its position is known. Returns whether one
 * may differ: the next backfill checks those.
 */
export function compareRuns({ topic }: TopicRules, { subscribers }: TopicState, position?: Position): boolean {
	let mayDiffer = false;
	for (const subscriber of subscribers.keys()) mayDiffer = mayRestart(subscriber.cursor(topic), position) || mayDiffer;
	return mayDiffer;
}

/** Has the counters of all subscribers include every message, and moves those along whose filters let nothing pass. */
export function countMessages(topic: string, state: TopicState, now: number): void {
	const { subscribers, received, sequence } = state;
	state.countedAt = now;
	for (const [subscriber, phase] of subscribers) {
		const { counters } = subscriber;
		const count = received - phase.counted;
		phase.counted = received;
		counters.received += count;
		if (phase.isInterested || count === 0) continue;
		counters.filtered += count;
		subscriber.cursor(topic).tally.filtered += count;
		if (sequence.highest > 0) subscriber.cover(topic, -1, sequence.highest);
		if (sequence.position) subscriber.advance(topic, sequence.position);
	}
}
