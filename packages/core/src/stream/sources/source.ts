import { later } from '../../whole';
import { sinceOf } from '../cursor';
import type { KnownEvents, EventPlace } from '../known';
import { isFull, readersOf, type Cursor } from '../log';
import type { TopicState } from '../topic-state';
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
	/** The topic was subscribed all the time. */
	isFollowed: boolean;
	/** Rows that were new to somebody. */
	news: number;
	/** Tries of the next page that failed. */
	failures: number;
}

/** For whom a walk is. */
export interface Needs {
	/** What the log knows, and those that catch up: each needs what stands behind its own settled place. */
	parties: WalkParty[];
	/** First starts whose old events nothing has told from new ones yet. */
	firsts: Cursor[];
}

export interface WalkParty {
	known: KnownEvents;
	/** Everything up to here was read already. */
	from: EventPlace | undefined;
	/** Whom its gaps concern. */
	cursors: ReadonlySet<Cursor>;
	/** The one that catches up, and what it had with it when the walk began: another one once it fell behind meanwhile. */
	cursor?: Cursor;
	baggage?: Cursor['baggage'];
}

/** Who needs a read of a topic now; nobody where it is undefined. Who is too slow is served once it has room. */
export function needsOf({ log }: TopicState): Needs | undefined {
	const cursors = readersOf(log);
	const firsts = cursors.filter(({ first }) => first?.isUnread);
	const catching = cursors.filter((cursor) => cursor.baggage?.offered && !isFull(log, cursor));
	const parties = catching.map((cursor): WalkParty => {
		const baggage = cursor.baggage!;
		const from = later(later(baggage.known.settled, baggage.readTo), sinceOf(cursor));
		return { known: baggage.known, from, cursors: new Set([cursor]), cursor, baggage };
	});
	const others = cursors.filter((cursor) => !cursor.baggage?.offered && !cursor.first?.isUnread);
	if (log.known.settled !== undefined || others.length > 0)
		parties.push({ known: log.known, from: log.known.settled, cursors: new Set(others) });
	return parties.length > 0 || firsts.length > 0 ? { parties, firsts } : undefined;
}

/** A walk has read everything behind the settled places of these. Who fell behind meanwhile did not get all of it. */
export function readTo(parties: readonly WalkParty[], place: EventPlace | undefined): void {
	for (const { baggage } of parties) if (baggage) baggage.readTo = later(baggage.readTo, place);
}
