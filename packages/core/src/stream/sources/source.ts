import { later } from '../../whole';
import type { TopicState } from '../feed/topic-state';
import { isFirstReadDue, sinceOf } from '../log/cursor';
import type { KnownEvents, EventPlace } from '../log/known';
import { isFull, readersOf, type CatchingUp, type Cursor, type GivenByReads } from '../log/log';
import type { TopicEvent } from '../topics/event';

/** One walk through the list of a topic, back to the oldest place that anybody needs. */
export interface Walk {
	/** The next page; undefined once nothing is left. A page that failed is read again. */
	next(): Promise<readonly TopicEvent[] | undefined>;
	/** The pages up to here entered the log. `news`: how many of all their rows were new to somebody. */
	entered?(news: number): void;
	/** Nothing is left. */
	end(): void;
}

/** A walk under way, which goes on after a pause or a failure. */
export interface Reading {
	readonly needs: Needs;
	readonly walk: Walk;
	readonly beganAt: number;
	/** Rows that were new to somebody. */
	news: number;
	/** Tries of the next page that failed. */
	failures: number;
}

/** The consumers that a walk is for. */
export interface Needs {
	/** What the log knows, and the cursors that catch up. Each needs the rows behind its own settled place. */
	parties: WalkParty[];
	/** First starts for which no read has shown yet which events are old. */
	firsts: Cursor[];
}

type CatchingUpByReads = CatchingUp & { reads: GivenByReads };

export interface WalkParty {
	known: KnownEvents;
	/** Everything up to here was read already. */
	from: EventPlace | undefined;
	/** The cursors that its gaps concern: one that catches up, or all that follow the log. */
	cursors: ReadonlySet<Cursor>;
	/** With what the one caught up when the walk began. It does so with something else if it fell behind again meanwhile. */
	catchingUp?: CatchingUpByReads;
}

const isByReads = (catchingUp: CatchingUp | undefined): catchingUp is CatchingUpByReads =>
	catchingUp?.reads !== undefined;

/** Undefined if nobody needs a read now. A consumer whose host is too slow is read for once it has room. */
export function needsOf({ log }: TopicState): Needs | undefined {
	const cursors = readersOf(log);
	const hasRoom = (cursor: Cursor): boolean => !isByReads(cursor.catchingUp) || !isFull(log, cursor);
	const firsts = cursors.filter((cursor) => isFirstReadDue(cursor.first) && hasRoom(cursor));
	const parties = cursors.filter(hasRoom).flatMap((cursor): WalkParty[] => {
		const { catchingUp } = cursor;
		if (!isByReads(catchingUp)) return [];
		// An order that was made before may have changed since, so of orders only what lists have settled is not read.
		const since = log.isFollowed && !isFirstReadDue(cursor.first) ? undefined : sinceOf(cursor);
		const from = later(later(catchingUp.known.settled, catchingUp.reads.to), since);
		return [{ known: catchingUp.known, from, cursors: new Set([cursor]), catchingUp }];
	});
	const others = cursors.filter((cursor) => !isByReads(cursor.catchingUp) && !isFirstReadDue(cursor.first));
	if (log.known.settled !== undefined || others.length > 0)
		parties.push({ known: log.known, from: log.known.settled, cursors: new Set(others) });
	return parties.length > 0 || firsts.length > 0 ? { parties, firsts } : undefined;
}

/** A walk has read all behind these places. A cursor that fell behind again meanwhile catches up with something else. */
export function readTo(parties: readonly WalkParty[], place: EventPlace | undefined): void {
	for (const { catchingUp } of parties) if (catchingUp) catchingUp.reads.to = later(catchingUp.reads.to, place);
}
