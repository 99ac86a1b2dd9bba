import type { DataFrame } from '../connection/frames';
import type { StreamPolicy } from '../policy';
import type { Position, Step } from '../position';
import type { BackloggedFrame } from './backlog';

/** What `step` has to know of a topic beside its state. */
export interface TopicRules extends Pick<StreamPolicy, 'readAfterMs' | 'readEveryMs' | 'impliesGap'> {
	/** Its events are changes of an order book, which begins with a snapshot. */
	isBook: boolean;
	/** Its events have an order, so that live ones wait for a backfill. */
	isOrdered: boolean;
	/** Whether what was missed can be read. */
	canRead: boolean;
}

/** What happens to a topic. */
export type TopicInput =
	| DataFrame
	/** A subscription was sent. `from`: the oldest position of the subscribers. */
	| { type: 'requested'; resumeFrom?: Position; from?: Position }
	/** `isReturning`: a subscriber was there in an earlier run. `book`: the snapshot that came with it. */
	| {
			type: 'confirmed';
			head?: Position;
			resumedFrom?: Position;
			isReturning: boolean;
			book?: { sequence?: number };
	  }
	/** The topic was subscribed several times at once, and this is not the first confirmation. */
	| { type: 'confirmed_again'; head?: Position }
	| { type: 'lost' }
	| { type: 'refused' }
	/** Subscribers joined that only a backfill can serve. */
	| { type: 'newcomers' }
	/** The baseline of a subscriber failed, or was late, so that events since it was due may be missing. */
	| { type: 'baseline_failed'; isRefused: boolean }
	| { type: 'baseline_late' }
	/** Events may be missing for another reason. */
	| { type: 'doubted'; reason?: Step }
	/** Time has passed. */
	| { type: 'woken' }
	/** `chance`: a random number from 0 up to 1. */
	| ({ type: 'read'; chance: number } & BackfillOutcome)
	| { type: 'read_failed'; isRefused: boolean; chance: number }
	/** There was nobody to read for. */
	| { type: 'read_nothing'; chance: number };

/** What a backfill found. */
export interface BackfillOutcome {
	/** Nothing is left to read; else when to continue. */
	againMs?: number;
	/** Subscribers joined meanwhile and need another one. */
	isForAll: boolean;
	/** It brought events that the stream had not. */
	hasNews: boolean;
	/** The snapshot was too old, or no newer than a sound book. */
	isOutdated?: boolean;
	/** The snapshot that was offered. */
	book?: { sequence?: number };
}

/** What the runner of a topic has to do, in this order. */
export type TopicEffect =
	/** Deliver a message. */
	| { do: 'deliver'; isReplay: boolean }
	/** Deliver messages that waited. */
	| { do: 'release'; frames: readonly BackloggedFrame[] }
	/** Say that changes of a book are delivered without its snapshot. */
	| { do: 'tell_stale' }
	/** Say that what happened during a disconnection cannot be read. */
	| { do: 'tell_gap' }
	/** Say when a backfill that failed is tried again. */
	| { do: 'tell_failure'; againMs?: number }
	/** Count a sign of missing messages. */
	| { do: 'count_gap' }
	/** Forget what backfills shared: events are missing since. */
	| { do: 'forget' }
	/** Ask each subscriber whether its numbers are of the run of this position. `isSign`: if not, doubt the topic. */
	| { do: 'compare_runs'; position?: Position; isSign?: boolean }
	/**
	 * Confirm the topic to those who wait for it, with its position. `servesNewcomers`: those who joined since the
	 * confirmation before are served apart from the others.
	 */
	| { do: 'confirm'; servesNewcomers: boolean }
	/** Offer the snapshot that came with the confirmation. */
	| { do: 'offer_book' }
	| { do: 'subscribe' }
	| { do: 'read' };

export const LIVE: readonly TopicEffect[] = [{ do: 'deliver', isReplay: false }];
export const REPLAYED: readonly TopicEffect[] = [{ do: 'deliver', isReplay: true }];
export const NOTHING: readonly TopicEffect[] = [];
