import { topics, type GapNotice, type TopicId } from '../../catalogue';
import type { Subscriber } from '../delivery/subscriber';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import { noticeTexts } from '../notice-text';

/** Brings subscribers into step with what REST knows of one topic. One for each way a topic can be read back. */
export interface Backfill {
	/**
	 * The first reading for somebody who was never here: everything in it is old, but for what was created after a moment,
	 * where the reading comes late.
	 */
	baseline?(subscriber: Subscriber, reading: Reading, newSince: () => number | undefined): Promise<void>;
	/** Reads on and offers what is new. A reading that fails goes on where it was. */
	run(subscribers: readonly Subscriber[], reading: Reading): Promise<BackfillResult>;
	/** Tells one who came back what it missed, without a reading of its own; answers whether that was possible. */
	serveNewcomer?(subscriber: Subscriber): boolean;
	/** The service may have begun anew. */
	restarted?(): void;
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

/** Between which sequences, or which times of creation, something may be missing. */
export type Gap =
	{ after_sequence: number; before_sequence: number | null } | { after_created_at: string; before_created_at: string };

export interface BackfillPorts {
	topic: string;
	/** Looks at what was read before anybody gets it. */
	observed(events: readonly TopicEvent[]): void;
	/** Something a person should know of the reading. */
	notice(subscriber: Subscriber, notice: { kind: 'gap' | 'reconciled' | 'degraded'; text: string }): void;
}

/** Offers what was read to one subscriber; answers how much of it was new. */
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
	/** The service counts anew in each, so the same numbers are another stretch there. */
	epoch?: string | number;
}

/** A stretch that is not read back is an item of its own kind, which a flow can branch on. */
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
