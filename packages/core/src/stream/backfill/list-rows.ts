import type { Clock } from '../../ports';
import type { Subscriber } from '../delivery/subscriber';
import { isKnown } from '../ledger/judge';
import { DATED_AHEAD_MAX, FULL_PAGE_MIN } from '../limits';
import type { StreamPolicy } from '../policy';
import type { LearnedList } from '../sync/learned-list';
import type { TopicEvent } from '../topics/event';

/** What the rows of one walk through a list show. A plain value, which `observeRows` changes in place. */
export interface ListRows {
	/** The newest rows with a time, newest first. */
	newest: { key: string; time: number }[];
	/** Rows that were read, each once although pages overlap, up to as many as a full page has. */
	keys: Set<string>;
	/** When the oldest rows were created, in milliseconds. */
	oldest: number;
	/** The subscribers that knew none of the oldest rows. */
	strangers: Set<Subscriber>;
	/** The orders that were shown. */
	orders: Set<string>;
}

export const noRows = (): ListRows => ({
	newest: [],
	keys: new Set(),
	oldest: Number.POSITIVE_INFINITY,
	strangers: new Set(),
	orders: new Set(),
});

/**
 * Notes what a page shows. It is called before the page is offered, when each subscriber still knows only its own
 * events.
 */
export function observeRows(
	rows: ListRows,
	events: readonly TopicEvent[],
	{ topic, served }: { topic: string; served: Iterable<Subscriber> },
): void {
	const before = rows.oldest;
	for (const { key, time, order } of events) {
		if (rows.keys.size < FULL_PAGE_MIN) rows.keys.add(key);
		if (order) rows.orders.add(order.id);
		if (time === undefined) continue;
		observeNewest(rows, key, time);
		rows.oldest = Math.min(rows.oldest, time);
	}
	if (rows.oldest < before) rows.strangers = new Set(served);
	const oldest = events.filter(({ time }) => time === rows.oldest);
	for (const subscriber of oldest.length > 0 ? rows.strangers : []) {
		const { offered } = subscriber.cursor(topic);
		// Keys up to a place were forgotten, so a row before it may be known, and so may one without an identifier.
		const mayBeKnown = rows.oldest <= (offered.keys.forgotten ?? Number.NEGATIVE_INFINITY);
		const mayBe = (event: TopicEvent) => event.isAnonymous === true || isKnown(offered, event);
		if (mayBeKnown || oldest.some(mayBe)) rows.strangers.delete(subscriber);
	}
}

/** Each row counts once although pages overlap. */
function observeNewest(rows: ListRows, key: string, time: number): void {
	const { newest } = rows;
	if (newest.some((row) => row.key === key)) return;
	if (newest.length > DATED_AHEAD_MAX && time <= newest.at(-1)!.time) return;
	rows.newest = [...newest, { key, time }].sort((a, b) => b.time - a.time).slice(0, DATED_AHEAD_MAX + 1);
}

/** The time of the newest row, apart from a few that may be dated ahead; undefined if no row carries a time. */
export const newestTime = ({ newest }: ListRows): number | undefined => newest.at(-1)?.time;

/**
 * The mark up to which a walk that began at `beganAt` settled the history. It comes from rows alone: the clock of this
 * machine may be hours apart, and rows may be dated in another zone.
 */
export function settledBefore(
	learned: LearnedList,
	rows: ListRows,
	{ clock, policy }: { clock: Clock; policy: Pick<StreamPolicy, 'readOverlapMs'> },
	beganAt = clock.now(),
): number | undefined {
	const newest = newestTime(rows);
	if (newest === undefined) return undefined;
	learned.aheadMs = Math.max(learned.aheadMs, newest - clock.now());
	// Lists lag and rows overtake each other. In a quiet list, time passes although no row shows it.
	return Math.min(newest, learned.aheadMs + beganAt - policy.readOverlapMs);
}
