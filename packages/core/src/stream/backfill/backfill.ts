import { topics, type GapNotice, type TopicId } from '../../catalogue';
import { readOverRest } from '../delivery/admission';
import type { Subscriber } from '../delivery/subscriber';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import { noticeTexts } from '../notice-text';
import type { ReadOptions } from './history';

/** Backfills the subscribers of one topic over REST. One implementation for each kind of source. */
export interface Backfill {
	/**
	 * Reads the baseline of a new subscriber. Its events count as known, except those created after `newSince`: it is set
	 * where an earlier attempt failed, so that the baseline comes late.
	 */
	baseline?(subscriber: Subscriber, options: ReadOptions, newSince: () => number | undefined): Promise<void>;
	/** Continues the backfill and offers the new events. After a failure it resumes where it stopped. */
	run(subscribers: readonly Subscriber[], options: ReadOptions): Promise<BackfillResult>;
	/** Serves a returning subscriber from the latest backfill; returns false if it needs one of its own. */
	serveNewcomer?(subscriber: Subscriber): boolean;
	/** Events arrived over the stream. */
	heard?(events: readonly TopicEvent[]): void;
	/** The service may have restarted its sequence numbers. */
	restarted?(): void;
	/** The connection is back. A backfill in progress may have read the newest rows before, so another has to follow. */
	reconnected?(): void;
}

export interface BackfillResult {
	/** Whether nothing is left to read. */
	isWhole: boolean;
	/** False if subscribers joined during the backfill and need another one. */
	isForAll?: boolean;
	/** Whether the backfill found events that the stream had not delivered. */
	hasNews: boolean;
	/** The snapshot is too old to apply the buffered changes to, or no newer than the known book. */
	isOutdated?: boolean;
	/** The snapshot that replaces the known book. */
	snapshot?: TopicEvent;
}

/** The range of sequences, or of creation times, in which events may be missing. */
export type Gap =
	{ after_sequence: number; before_sequence: number | null } | { after_created_at: string; before_created_at: string };

export interface BackfillPorts {
	topic: string;
	/** Called with the events that were read, before they are delivered. */
	observed(events: readonly TopicEvent[]): void;
	/** Reports to operators. */
	notice(subscriber: Subscriber, notice: { kind: 'gap' | 'reconciled' | 'degraded'; text: string }): void;
}

/** Offers events read over REST to one subscriber; returns how many were new. */
export function offerRead(
	subscriber: Subscriber,
	events: readonly TopicEvent[],
	{ topic, notice }: BackfillPorts,
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
