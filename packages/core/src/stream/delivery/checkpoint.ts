import { isItem } from '../../wire/payload';
import type { Clock } from '../../ports';
import { topicOf } from '../topics';
import type { Consumer, StoredCheckpoint } from '../contract';
import type { Delta } from '../ledger/ledger';
import { numberOf } from '../ledger/numbers';
import { CHECKPOINT_VERSION } from '../ledger/stored';
import { createCursor, type Cursor } from './cursor';
import type { Entry } from './queue';
import { QUIET_MOVE_EVERY_MS } from '../limits';
import type { StreamPolicy } from '../policy';

/** The ledgers of a subscriber in all its topics, and whether they were reported for storage. */
export interface CheckpointTracker {
	cursor(topic: string): Cursor;
	/** Whether a topic had a stored position, with its baseline read. */
	hasStored(topic: string): boolean;
	/** Whether anything was stored for a topic, even without a baseline. */
	wasStored(topic: string): boolean;
	/** Since when a topic has been followed without a baseline, earlier runs included. */
	unreadSince(topic: string): (() => number) | undefined;
	/** The baseline of a topic is being read. If events are acknowledged before it is, the topic is followed since then. */
	awaitBaseline(topic: string, since: () => number): void;
	/** That baseline cannot be read yet: since when the topic is followed is stored without an event, too. */
	follow(topic: string): void;
	/** The baseline is read: the topic is stored from now on. */
	begin(topic: string): void;
	/** The host acknowledged these events, and with them all earlier ones. */
	acknowledge(entries: readonly Entry[]): void;
	/** A delta without an event. */
	advance(topic: string, delta: Delta): void;
	/** Reports ledgers for storage that changed since the last report. */
	flush(): void;
}

export interface CheckpointOptions {
	policy: StreamPolicy;
	clock: Clock;
	/** Whether lists are read. */
	isRead: boolean;
}

export function createCheckpointTracker(consumer: Consumer, options: CheckpointOptions): CheckpointTracker {
	const { clock, policy, isRead } = options;
	const checkpoint = consumer.deliverMissed === false ? undefined : consumer.checkpoint?.topics;
	const stored = isItem(checkpoint) ? checkpoint : {};
	const openCursor = (topic: string, ledger: unknown): Cursor => {
		const { keeps, backfill } = topicOf(topic) ?? { keeps: 'events', backfill: 'live-only' };
		const reads = { isNumbered: keeps === 'sequence', isRead: isRead && backfill !== 'live-only' };
		// A process begins each book with a snapshot, which may be one that was delivered before, so no keys are stored.
		if (keeps === 'book') return createCursor(undefined, { ...policy, storedKeysMax: 0 }, reads);
		return createCursor(ledger, policy, reads);
	};
	// Ledgers stored for topics that are no longer subscribed are dropped.
	const subscribed = Object.entries(stored).filter(([topic]) => consumer.topics.includes(topic));
	const cursors = new Map(subscribed.map(([topic, ledger]) => [topic, openCursor(topic, ledger)]));
	const unread = new Map(subscribed.flatMap(([topic, ledger]) => unreadIn(topic, ledger)));
	const begun = new Set([...cursors.keys()].filter((topic) => !unread.has(topic)));
	let reportedAt = clock.now();
	let unreported = false;

	function cursor(topic: string): Cursor {
		let topicCursor = cursors.get(topic);
		if (!topicCursor) cursors.set(topic, (topicCursor = openCursor(topic, undefined)));
		return topicCursor;
	}

	/** A topic whose baseline is not read yet stores since when it is followed, for the baseline of the next run. */
	function positions(): StoredCheckpoint {
		const topics: Record<string, unknown> = {};
		for (const [topic, topicCursor] of cursors) {
			const followed = unread.get(topic);
			const unreadSince = followed && (followed.stored ?? followed.since());
			if (begun.has(topic)) topics[topic] = topicCursor.stored();
			else if (unreadSince !== undefined) topics[topic] = { unreadSince, ...topicCursor.stored() };
		}
		return { version: CHECKPOINT_VERSION, topics };
	}

	function flush(): void {
		if (!unreported) return;
		unreported = false;
		reportedAt = clock.now();
		consumer.onCheckpoint?.(positions());
	}

	return {
		cursor,
		hasStored: (topic) => isItem(stored[topic]) && unreadIn(topic, stored[topic]).length === 0,
		wasStored: (topic) => isItem(stored[topic]),
		unreadSince: (topic) => unread.get(topic)?.since,
		awaitBaseline: (topic, since) => void unread.set(topic, { since }),
		follow: (topic) => {
			const followed = unread.get(topic)!;
			const since = followed.since();
			if (followed.stored === since) return;
			cursor(topic);
			followed.stored = since;
			unreported = true;
		},
		begin: (topic) => {
			cursor(topic);
			unread.delete(topic);
			begun.add(topic);
			unreported = true;
		},
		acknowledge: (entries) => {
			let [topic, topicCursor]: [string?, Cursor?] = [];
			for (const { event, delta, later } of entries) {
				// Most batches are of one topic, so its ledger is looked up once.
				if (!topicCursor || event.topic !== topic) [topic, topicCursor] = [event.topic, cursor(event.topic)];
				topicCursor.acknowledge(delta);
				if (later) topicCursor.acknowledge(later);
			}
			unreported = true;
			flush();
		},
		advance: (topic, delta) => {
			cursor(topic).acknowledge(delta);
			unreported = true;
			// A position that moves without an event is worth storing, but not each time.
			if (clock.now() - reportedAt >= QUIET_MOVE_EVERY_MS) flush();
		},
		flush,
	};
}

/** Since when a topic is followed without a baseline, and the moment that is stored of it. */
interface Unread {
	since(): number;
	stored?: number;
}

/** The topic, and since when an earlier run followed it, if that run never read its baseline. */
function unreadIn(topic: string, ledger: unknown): [topic: string, unread: Unread][] {
	const stored = isItem(ledger) ? numberOf(ledger.unreadSince) : undefined;
	return stored === undefined ? [] : [[topic, { since: () => stored, stored }]];
}
