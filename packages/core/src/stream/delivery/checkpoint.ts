import { isItem } from '../../wire/payload';
import type { Clock } from '../../ports';
import { topicOf } from '../topics';
import type { Consumer, StoredCheckpoint } from '../contract';
import { createCursor, type CursorUpdate, type Cursor } from './cursor';
import type { Entry } from './queue';
import { QUIET_MOVE_EVERY_MS } from '../limits';
import type { StreamPolicy } from '../policy';

/** Where a consumer stands in all its topics, and what of that it was told to store. */
export interface CheckpointTracker {
	cursor(topic: string): Cursor;
	/** Whether it was here before and knows where it stopped. */
	hasStored(topic: string): boolean;
	/** From now on the topic is stored: its history is told apart from what is new. */
	begin(topic: string): void;
	/** The host took these, and with them everything before. */
	acknowledge(entries: readonly Entry[]): void;
	/** Something is settled without an event. */
	settle(topic: string, update: CursorUpdate): void;
	/** Reports a position that was not reported yet; the last time whole. */
	flush(isLast?: boolean): void;
}

export function createCheckpointTracker(consumer: Consumer, policy: StreamPolicy, clock: Clock): CheckpointTracker {
	const given = consumer.deliverMissed === false ? undefined : consumer.checkpoint?.topics;
	const stored = isItem(given) ? given : {};
	// What was stored for a topic that is no longer asked for is let go.
	const openCursor = (topic: string, known: unknown) =>
		createCursor(known, policy, topicOf(topic)?.order === 'sequence');
	const kept = Object.entries(stored).filter(([topic]) => consumer.topics.includes(topic));
	const cursors = new Map(kept.map(([topic, known]) => [topic, openCursor(topic, known)]));
	const begun = new Set(cursors.keys());
	let reportedAt = clock.now();
	let unreported = false;

	function cursor(topic: string): Cursor {
		let known = cursors.get(topic);
		if (!known) cursors.set(topic, (known = openCursor(topic, undefined)));
		return known;
	}

	/** A topic whose history is not told apart yet is left out, so that this is done when it comes back. */
	function positions(now: number, isLast: boolean): StoredCheckpoint {
		const topics: Record<string, unknown> = {};
		for (const [topic, known] of cursors) if (begun.has(topic)) topics[topic] = known.stored(now, isLast);
		return { version: 1, topics };
	}

	function flush(isLast = false): void {
		const isLate = isLast && [...cursors.values()].some((known) => known.isStoredLater());
		if (!unreported && !isLate) return;
		unreported = false;
		reportedAt = clock.now();
		consumer.onCheckpoint?.(positions(reportedAt, isLast));
	}

	return {
		cursor,
		hasStored: (topic) => isItem(stored[topic]),
		begin: (topic) => {
			cursor(topic);
			begun.add(topic);
			unreported = true;
		},
		acknowledge: (entries) => {
			for (const { event, facts, position, settles } of entries) {
				const known = cursor(event.topic);
				known.acknowledge(facts);
				if (settles) known.commit(settles);
				if (position) known.reach(position);
			}
			unreported = true;
			flush();
		},
		settle: (topic, update) => {
			cursor(topic).commit(update);
			unreported = true;
			// A position that moves without an event is worth storing, but not each time.
			if (clock.now() - reportedAt >= QUIET_MOVE_EVERY_MS) flush();
		},
		flush,
	};
}
