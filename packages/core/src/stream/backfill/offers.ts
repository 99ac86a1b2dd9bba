import type { Whole } from '../../whole';
import { topics, type GapNotice, type TopicId } from '../../catalogue';
import { readOverRest } from '../delivery/admission';
import type { Subscriber } from '../delivery/subscriber';
import { noticeTexts } from '../notice-text';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';

/** The topic that is read, and how its subscribers are told what came of it. */
export interface OfferPorts {
	topic: string;
	/** Calls `onNotice` of the subscriber's host, for operators. */
	notice(subscriber: Subscriber, notice: { kind: 'gap' | 'reconciled' | 'degraded'; text: string }): void;
}

/** The range of sequences, or of creation times, in which events may be missing. */
export type Gap =
	{ after_sequence: Whole; before_sequence: Whole | null } | { after_created_at: string; before_created_at: string };

/** Offers events read over REST to one subscriber; returns how many were new. */
export function offerRead(
	subscriber: Subscriber,
	events: readonly TopicEvent[],
	{ topic, notice }: OfferPorts,
): number {
	const count = subscriber.offer(events, readOverRest(topic));
	if (count > 0) notice(subscriber, { kind: 'reconciled', text: noticeTexts.backfilled(count) });
	return count;
}

interface RunOfService {
	/** Sequence numbers restart with each epoch, so equal numbers of two epochs are different gaps. */
	epoch?: string | number;
}

/** Reports a range that is not backfilled as an item of kind `gap`, so that a flow can branch on it. */
export function offerGap(
	subscriber: Subscriber,
	gap: Gap,
	{ topic, notice, done, epoch }: OfferPorts & Pick<GapNotice, 'done'> & RunOfService,
): void {
	const written = Object.fromEntries(
		Object.entries(gap).map(([name, value]) => [name, plain(value as string | Whole | null)]),
	);
	const [after, end] = Object.values(written);
	const until = end === null ? '' : ` and before ${end}`;
	const may_be_missing = `${labelOf(topic)} after ${after}${until}`;
	const data: GapNotice = { gap: written, pair: pairKeyOf(topic) ?? null, may_be_missing, done };
	const event = {
		key: `gap:${[topic, ...(epoch === undefined ? [] : [epoch]), after, end ?? ''].join(':')}`,
		kind: 'gap' as const,
		data,
	};
	if (subscriber.offer([event], readOverRest(topic)) === 0) return;
	subscriber.counters.gaps += 1;
	subscriber.cursor(topic).tally.gaps += 1;
	notice(subscriber, { kind: 'gap', text: noticeTexts.mayBeMissing(may_be_missing) });
}

/** A wildcard may mean topics of several kinds. */
function labelOf(topic: string): string {
	const id = topic in topics ? topic : topic.split('.')[0]!;
	return id in topics ? topics[id as TopicId].label : `Events of ${topic}`;
}

/** Plain JSON, in which a number that would be rounded is text. */
const plain = (value: string | Whole | null): string | number | null =>
	typeof value === 'bigint' ? String(value) : value;
