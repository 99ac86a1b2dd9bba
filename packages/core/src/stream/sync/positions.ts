import type { Subscriber } from '../delivery/subscriber';
import { reach } from '../ledger/ledger';
import { oldestPosition, type Position } from '../position';
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

/** The oldest position of some subscribers. Those whose queue dropped events are served from the next confirmation on. */
export function oldestOf(
	topic: string,
	{ sequence }: TopicState,
	subscribers: readonly Subscriber[],
): Position | undefined {
	const upToDate = subscribers.filter(({ lagging }) => !lagging.has(topic));
	return oldestPosition(
		sequence.position,
		upToDate.map(({ cursor }) => cursor(topic).offered.position),
	);
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
