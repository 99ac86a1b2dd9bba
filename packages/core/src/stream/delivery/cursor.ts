import type { Whole } from '../../whole';
import { isItem } from '../../wire/payload';
import type { Consumer, StoredCheckpoint } from '../contract';
import { doubtRun, offeredOf, type Offered } from '../ledger/judge';
import { dropAll } from '../ledger/key-index';
import type { Ledger } from '../ledger/ledger';
import { latest, numberOf } from '../ledger/numbers';
import { CHECKPOINT_VERSION, readLedger, storedLedger } from '../ledger/stored';
import { noTopicKeys, type TopicKeys } from '../ledger/topic-keys';
import type { StreamPolicy } from '../policy';
import { sameEpoch, type Position } from '../position';
import { topicOf } from '../topics';
import { noTally, type Tally } from './tally';

/** One topic of a subscriber, as a plain value that changes in place. With the queue it is all the subscriber has of it. */
export interface Cursor {
	/** What the host acknowledged: a checkpoint stores it. */
	ledger: Ledger;
	/** The ledger and what still waits in the queue. */
	offered: Offered;
	/** What an earlier run stored: nothing, that its baseline is still to be read, or a ledger. */
	readonly start: 'new' | 'unread' | 'stored';
	/** Whether the baseline was read. A topic whose baseline is being read may be followed meanwhile. */
	baseline: 'due' | Followed | 'read';
	/** How many keys a checkpoint holds at most; 0 for a book, which begins with a snapshot in each process. */
	readonly keysMax: number;
	tally: Tally;
}

/** A topic whose live events are delivered although its baseline could not be read yet. */
interface Followed {
	/** Since when, in milliseconds since 1970 by the clock of the service, as estimated by now. */
	since(): number;
	/** The estimate that a checkpoint holds, if one was made. */
	stored?: number;
}

export interface CursorOptions {
	policy: Pick<StreamPolicy, 'storedKeysMax'>;
	/** Whether lists are read, which needs a key. */
	isRead: boolean;
	/** The keys of each topic, which all subscribers of a stream share. */
	keys: Map<string, TopicKeys>;
}

/** Opens the cursors that an earlier run has stored. Topics that are no longer subscribed are dropped. */
export function openCursors(consumer: Consumer, options: CursorOptions): Map<string, Cursor> {
	const checkpoint = consumer.deliverMissed === false ? undefined : consumer.checkpoint?.topics;
	const stored = Object.entries(isItem(checkpoint) ? checkpoint : {});
	const subscribed = stored.filter(([topic]) => consumer.topics.includes(topic));
	return new Map(subscribed.map(([topic, ledger]) => [topic, openCursor(topic, ledger, options)]));
}

export function openCursor(topic: string, stored: unknown, { policy, isRead, keys }: CursorOptions): Cursor {
	const { keeps, backfill } = topicOf(topic) ?? { keeps: 'events', backfill: 'live-only' };
	// A process begins each book with a snapshot, which may be one that was delivered before, so no keys are stored.
	const isBook = keeps === 'book';
	const ledger = readLedger(isBook ? undefined : stored);
	const since = isItem(stored) ? numberOf(stored.unreadSince) : undefined;
	const start = !isItem(stored) ? 'new' : since === undefined ? 'stored' : 'unread';
	const reads = { isNumbered: keeps === 'sequence', isRead: isRead && backfill !== 'live-only' };
	const keysOfTopic = keys.get(topic) ?? noTopicKeys();
	keys.set(topic, keysOfTopic);
	ledger.keys.all = keysOfTopic;
	return {
		ledger,
		offered: offeredOf(ledger, reads, keysOfTopic),
		start,
		baseline: since !== undefined ? { since: () => since, stored: since } : start === 'stored' ? 'read' : 'due',
		keysMax: isBook ? 0 : policy.storedKeysMax,
		tally: noTally(),
	};
}

/** The subscriber left. A host that is busy with its events may still acknowledge them. */
export function closeCursor(topic: string, { offered }: Cursor, keys: CursorOptions['keys']): void {
	const { all } = offered.keys;
	dropAll(offered.keys);
	if (all.size === 0 && keys.get(topic) === all) keys.delete(topic);
}

/** What a host stores: the ledger of each topic, and since when a topic without a baseline is followed. */
export function checkpointOf(cursors: ReadonlyMap<string, Cursor>): StoredCheckpoint {
	const topics: Record<string, unknown> = {};
	for (const [topic, { ledger, offered, baseline }] of cursors) {
		if (baseline === 'due') continue;
		// The numbers are also in doubt while a restart of theirs waits in the queue.
		const stored = storedLedger(ledger, offered.isDoubtful === true || offered.runs !== ledger.runs);
		const unreadSince = baseline === 'read' ? undefined : (baseline.stored ?? baseline.since());
		if (baseline === 'read') topics[topic] = stored;
		else if (unreadSince !== undefined) topics[topic] = { unreadSince, ...stored };
	}
	return { version: CHECKPOINT_VERSION, topics };
}

/** Whether the numbers may have restarted, given the position of the service, or none if it is unknown. */
export function mayRestart({ ledger, offered }: Cursor, current?: Position): boolean {
	const { position, mark, ranges } = offered;
	const isSameRun = position && current && sameEpoch(current.epoch, position.epoch);
	const isNothingKnown = !position && !mark && (ranges?.[0] ?? 0) <= 0;
	if (isSameRun || isNothingKnown || !ranges) return false;
	offered.isDoubtful = ledger.isDoubtful = true;
	doubtRun(offered);
	return true;
}

/** The service did not restart its numbers. */
export function confirmRun({ ledger, offered }: Cursor): void {
	offered.doubt = 'settled';
	offered.isDoubtful = ledger.isDoubtful = undefined;
}

/** Events up to this place are old, even if their keys are unknown. */
export function forget({ ledger, offered }: Cursor, place: Whole | undefined): void {
	offered.keys.forgotten = latest(offered.keys.forgotten, place);
	ledger.keys.forgotten = latest(ledger.keys.forgotten, place);
}

/** Up to where a complete backfill settles the topic: at least up to the keys that were too many to remember. */
export function settledBy({ keys, isNumbered }: Offered, watermark: number | undefined): number | undefined {
	const { overrun, forgotten } = keys;
	keys.overrun = undefined;
	return overrun && !isNumbered && forgotten !== undefined ? latest(watermark, Number(forgotten)) : watermark;
}
