import type { GapNotice } from '../../catalogue';
import type { Clock } from '../../ports';
import type { Gap } from '../gaps';
import type { KnownEvents, EventPlace } from '../known';
import { sinceOf } from '../cursor';
import { isFull, type Cursor } from '../log';
import { compareWhole, later } from '../../whole';
import type { StreamPolicy } from '../policy';
import type { TopicState } from '../topic-state';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import type { History, ReadOptions } from './history';

/** Where what was missed of a topic is read: one walk after another, each back to the oldest place that anybody needs. */
export interface Source {
	/** What puts its events in order. */
	order: 'sequence' | 'time';
	begin(needs: Needs): Walk;
}

/** One walk through a source. */
export interface Walk {
	/** The next page; undefined once nothing is left. A page that failed is read again. `news`: of the pages before. */
	next(news: number): Promise<readonly TopicEvent[] | undefined>;
	/** Every page entered the log. */
	end(): void;
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

export interface SourcePorts {
	topic: string;
	identify: Topic['identify'];
	history: History;
	options: ReadOptions;
	clock: Clock;
	policy: StreamPolicy;
	state: TopicState;
	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	serviceTime(at: number): number;
	/** What cannot be read back is an entry. */
	gap(to: ReadonlySet<Cursor>, gap: Gap, done: GapNotice['done']): void;
	warn(to: Iterable<Cursor>, text: string): void;
}

/** Who needs a read of a topic now. Who is too slow is served once it has room. */
export function needsOf({ log }: TopicState): Needs {
	const cursors = [...log.cursors];
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
	return { parties, firsts };
}

/** A walk has read everything behind the settled places of these. Who fell behind meanwhile did not get all of it. */
export function readTo(parties: readonly WalkParty[], place: EventPlace | undefined): void {
	for (const { known, cursor, baggage } of parties) {
		if (cursor?.baggage !== baggage) continue;
		known.isDeep = undefined;
		if (baggage) baggage.readTo = later(baggage.readTo, place);
	}
}

export const inOrder = (events: Iterable<TopicEvent>, by: Source['order']): TopicEvent[] =>
	[...events].sort((a, b) => compareWhole(a[by] ?? 0, b[by] ?? 0));
