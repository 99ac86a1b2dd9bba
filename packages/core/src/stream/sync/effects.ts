import type { Whole } from '../../whole';
import type { ExchangeError } from '../../errors';
import type { TopicNews } from '../connection/session-channel';
import type { Subscriber } from '../delivery/subscriber';
import type { StreamPolicy } from '../policy';
import type { Topic } from '../topics/topic';
import type { BackloggedFrame } from './backlog';

/** What `step` has to know of a topic beside its state. */
export interface TopicRules extends Pick<StreamPolicy, 'readAfterMs' | 'readEveryMs' | 'impliesGap'> {
	topic: string;
	/** It stands for several exact topics, so the numbers of its messages have no order. */
	isWildcard: boolean;
	/** Its events are changes of an order book, which begins with a snapshot. */
	isBook: boolean;
	/** Its events have an order, so that live ones wait for a backfill. */
	isOrdered: boolean;
	/** Whether what was missed can be read. */
	canRead: boolean;
	/** It is read from a list. Then its window is kept, from which subscribers that join are served. */
	isListed: boolean;
}

/** What happens to a topic: the input of `step`. */
export type TopicInput =
	| TopicNews
	/** `isReturning`: it was there in an earlier run. */
	| { type: 'joined'; subscriber: Subscriber; isReturning: boolean; isInterested: boolean; needsBaseline: boolean }
	/** A subscriber has room again, whose events were dropped. */
	| { type: 'rejoined'; subscriber: Subscriber }
	/** Subscribers joined that only a backfill can serve. */
	| { type: 'newcomers' }
	/** `isLate`: events since it was due may be missing. */
	| { type: 'baseline_read'; subscriber: Subscriber; isLate: boolean }
	| { type: 'baseline_failed'; subscriber: Subscriber; error: unknown }
	/** Events may be missing for a reason that no message shows, such as fills that do not add up. */
	| { type: 'doubted' }
	/** The timer rang at the moment that `wakesAt` gave. */
	| { type: 'woken' }
	/** `chance`: a random number from 0 up to 1. */
	| ({ type: 'read'; chance: number } & BackfillOutcome)
	| { type: 'read_failed'; error: unknown; chance: number }
	/** A backfill was due, but there was nobody to read for. */
	| { type: 'read_nothing'; chance: number };

/** What a backfill found. */
export interface BackfillOutcome {
	/** When to continue; undefined if nothing is left to read. */
	againMs?: number;
	/** Nobody joined meanwhile who needs another one. */
	isForAll: boolean;
	/** It brought events that the stream had not. */
	hasNews: boolean;
	/** The snapshot was too old, or no newer than a sound book. */
	isOutdated?: boolean;
	/** The snapshot that was offered. */
	book?: { sequence?: Whole };
}

/** What the runner of a topic has to do, in this order. */
export type TopicEffect =
	/** Deliver a message. */
	| { do: 'deliver'; isReplay: boolean }
	/** Deliver messages that waited. */
	| { do: 'release'; frames: readonly BackloggedFrame[] }
	/** Say that changes of a book are delivered without its snapshot. */
	| { do: 'tell_stale' }
	/** Say that what happened since a disconnection cannot be read. */
	| { do: 'tell_gap'; since: number }
	/** Say that the service refused the topic, to all who are on it or wait for it. */
	| { do: 'tell_refused'; error: ExchangeError }
	/** Say that it refuses it for now, and when it is asked for again. */
	| { do: 'tell_unavailable'; error: ExchangeError; againMs: number }
	/** Say to one subscriber, or to all who are served, that a backfill failed, and when it is tried again. */
	| { do: 'tell_failure'; error: unknown; to?: Subscriber; againMs?: number }
	/** Count a sign of missing messages. */
	| { do: 'count_gap' }
	/** Give new subscribers the position of the topic, so that they can resume even if no event ever arrives. */
	| { do: 'place'; subscribers: readonly Subscriber[] }
	/** Deliver changes of a book to those who waited for its confirmation. */
	| { do: 'follow_book'; subscribers: readonly Subscriber[] }
	/** Serve those who joined an already subscribed topic and may have missed events. */
	| { do: 'serve'; newcomers: readonly Subscriber[] }
	| { do: 'read_baseline'; subscriber: Subscriber }
	/** Offer the snapshot that came with the confirmation. */
	| { do: 'offer_book'; snapshot: unknown }
	| { do: 'subscribe' }
	| { do: 'read' };

export const LIVE: readonly TopicEffect[] = [{ do: 'deliver', isReplay: false }];
export const REPLAYED: readonly TopicEffect[] = [{ do: 'deliver', isReplay: true }];
export const NOTHING: readonly TopicEffect[] = [];

/** Of a wildcard there is no topic. `hasKey`: every read needs the key. */
export function rulesOf(
	name: string,
	topic: Topic | undefined,
	{ readAfterMs, readEveryMs, impliesGap }: StreamPolicy,
	hasKey: boolean,
): TopicRules {
	const source = topic?.backfill ?? 'live-only';
	const canRead = hasKey && source !== 'live-only';
	return {
		...{ topic: name, readAfterMs, impliesGap, canRead },
		readEveryMs: canRead ? readEveryMs : undefined,
		isWildcard: topic === undefined,
		isBook: topic?.keeps === 'book',
		isOrdered: topic?.keeps === 'sequence' || topic?.keeps === 'book',
		isListed: canRead && (source.from === 'list' || source.from === 'sequence'),
	};
}
