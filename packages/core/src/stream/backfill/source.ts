import { compareWhole, type Whole } from '../../whole';
import type { Clock } from '../../ports';
import type { Subscriber } from '../delivery/subscriber';
import type { TopicState } from '../sync/state';
import type { ReadRange } from '../sync/window';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import type { History, ReadOptions } from './history';
import type { OfferPorts } from './offers';

/**
 * Where what was missed of a topic is read. It says which pages to read for whom, and what is known once they were
 * offered. `createBackfill` reads and offers them.
 */
export interface Source {
	/** What puts its events in order. Pages in the order of their numbers are offered one by one, others in slices. */
	order: 'sequence' | 'time';
	/** Begins to read what these subscribers may have missed. Those that leave meanwhile are removed from the set. */
	begin(served: ReadonlySet<Subscriber>): SourceWalk;
	/** Makes known to a new subscriber what counts as old. */
	baseline: Baselining;
	/** Up to where a returning subscriber knows the topic; undefined if only a backfill shows what it missed. */
	placeOf(subscriber: Subscriber): Whole | undefined;
}

/**
 * Reads the baseline of a new subscriber. Its events count as known, except those created after `newSince`: it is set
 * where an earlier attempt failed, so that the baseline comes late.
 */
export type Baselining = (subscriber: Subscriber, newSince: () => number | undefined) => Promise<void>;

/** One walk through a source: its pages, and what they have shown once all were offered. */
export interface SourceWalk {
	pages: Pages;
	/** Every page was read and offered; `news` of the events were new to a subscriber. */
	end(news: number): WalkEnd;
}

/** Each request for a page says how many events of the walk were new so far. A failed page is read again. */
export type Pages = AsyncGenerator<SourcePage, void, number>;

type SourcePage = { events: TopicEvent[] } | Failure;

interface Failure {
	error: unknown;
}

export interface WalkEnd {
	/** False if another walk has to follow. */
	isWhole: boolean;
	/** Where the walk has shown that no event is missing. */
	range?: ReadRange;
}

export interface SourcePorts extends OfferPorts {
	identify: Topic['identify'];
	history: History;
	options: ReadOptions;
	clock: Clock;
	state: TopicState;
	/** Called with the events that were read, before they are delivered. */
	observed(events: readonly TopicEvent[]): void;
}

/** Reads until it succeeds. Whoever asks for pages gets each failure, and reads again by asking for the next. */
export async function* tried<Answer>(read: () => Promise<Answer>): AsyncGenerator<Failure, Answer, number> {
	for (;;) {
		try {
			return await read();
		} catch (error) {
			yield { error };
		}
	}
}

export const inOrder = (events: Iterable<TopicEvent>, by: Source['order']): TopicEvent[] =>
	[...events].sort((a, b) => compareWhole(a[by] ?? 0, b[by] ?? 0));
