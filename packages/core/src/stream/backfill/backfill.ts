import { topics, type GapNotice, type TopicId } from '../../catalogue';
import type { Subscriber } from '../delivery/subscriber';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import { noticeTexts } from '../notice-text';

/** Backfills the subscribers of one topic over REST. One implementation for each kind of source. */
export interface Backfill {
	/**
	 * The first reading for somebody who was never here: everything in it is old, but for what was created after a moment,
	 * where the reading comes late.
	 */
	baseline?(subscriber: Subscriber, reading: Reading, newSince: () => number | undefined): Promise<void>;
	/** Continues the backfill and offers what is new. After a failure it resumes where it stopped. */
	run(subscribers: readonly Subscriber[], reading: Reading): Promise<BackfillResult>;
	/** Serves a returning subscriber from the latest backfill; returns false if it needs one of its own. */
	serveNewcomer?(subscriber: Subscriber): boolean;
	/** The service may have restarted its sequence numbers. */
	restarted?(): void;
	/** The connection is back: what is in progress may have read the newest before, so another run has to follow. */
	reconnected?(): void;
}

export interface Reading {
	signal: AbortSignal;
}

export interface BackfillResult {
	/** Whether there is more to read. */
	isWhole: boolean;
	/** Whether those who came while it was read were served too, where it goes on without them. */
	isForAll?: boolean;
	/** Whether something was found that the stream had not brought. */
	found: boolean;
	/** A snapshot that is too old to go on from, or no newer than what is known. */
	isOutdated?: boolean;
	/** A snapshot that replaces what was known. */
	snapshot?: TopicEvent;
}

/** The range of sequences, or of creation times, in which events may be missing. */
export type Gap =
	{ after_sequence: number; before_sequence: number | null } | { after_created_at: string; before_created_at: string };

export interface BackfillPorts {
	topic: string;
	/** Sees what was read before it is delivered. */
	observed(events: readonly TopicEvent[]): void;
	/** Reports to operators. */
	notice(subscriber: Subscriber, notice: { kind: 'gap' | 'reconciled' | 'degraded'; text: string }): void;
}

/** Offers what was read to one subscriber; returns how many events were new. */
export function offerRead(
	subscriber: Subscriber,
	events: readonly TopicEvent[],
	{ topic, notice }: BackfillPorts,
): number {
	const count = subscriber.offer(events, { topic, delivery: 'reconciled', ts: null });
	if (count > 0) notice(subscriber, { kind: 'reconciled', text: noticeTexts.backfilled(count) });
	return count;
}

interface RunOfService {
	/** Sequence numbers restart in each, so the same numbers are another range. */
	epoch?: string | number;
}

/** A range that is not backfilled is an item of its own kind, which a flow can branch on. */
export function offerGap(
	subscriber: Subscriber,
	gap: Gap,
	{ topic, notice, done, epoch }: Pick<BackfillPorts, 'topic' | 'notice'> & Pick<GapNotice, 'done'> & RunOfService,
): void {
	const [after, end] = Object.values(gap) as (string | number | null)[];
	const until = end === null ? '' : ` and before ${end}`;
	const may_be_missing = `${labelOf(topic)} after ${after}${until}`;
	const data: GapNotice = { gap, pair: pairKeyOf(topic) ?? null, may_be_missing, done };
	const event = {
		key: `gap:${[topic, ...(epoch === undefined ? [] : [epoch]), after, end ?? ''].join(':')}`,
		kind: 'gap' as const,
		data,
	};
	if (subscriber.offer([event], { topic, delivery: 'reconciled', ts: null }) === 0) return;
	subscriber.counters.gaps += 1;
	subscriber.tally(topic).gaps += 1;
	notice(subscriber, { kind: 'gap', text: noticeTexts.mayBeMissing(may_be_missing) });
}

const labelOf = (topic: string): string => topics[(topic in topics ? topic : topic.split('.')[0]) as TopicId].label;
