import type { Clock } from '../../ports';
import type { TopicEvent } from '../topics/event';
import type { TopicNumbers } from '../backfill/sequence-backfill';
import { READ_LAG_MS_MAX } from '../limits';
import { sameEpoch, type Position, type Step } from '../position';

/** Consecutive backfills that found nothing missing at a jump of the sequence numbers; jumps count as normal then. */
const EMPTY_READINGS_MAX = 3;
/** A sequence counts as complete only at this age, because lists lag behind the stream. */
const SETTLED_AFTER_MS = 30_000;
/** Consecutive lower sequence numbers, outside a replay, after which a restart of the numbers is assumed. */
const BACKWARDS_MAX = 3;
/** How long messages after a resume count as replayed if the service does not tell its own position. */
const REPLAYED_FOR_MS = 2_000;
const MARK_EVERY_MS = 1_000;
const MARKS_MAX = 100;

/**
 * Tracks the position of a topic. Sequence numbers serve to resume and hint at gaps. They never decide whether an event
 * is new, because they are monotonic but not necessarily consecutive, and may restart. (Interface, part 6.)
 */
export interface SequenceTracker extends TopicNumbers {
	/** A message arrived, with its position if it has one. */
	advance(next: Position | undefined): Step;
	/** A subscription was sent, perhaps with a position to resume from. Its replay may arrive before its confirmation. */
	asked(resumeFrom: Position | undefined, isFollowed: boolean): void;
	/** A subscription was confirmed. `head` is the position of the service, if it tells one. */
	begin(head: Position | undefined, resumedFrom: Position | undefined): void;
	/** Another subscription was confirmed, which replays up to `head`. */
	confirmedAgain(head: Position | undefined): void;
	isReplay(position: Position | undefined): boolean;
	/** The first backfill after a subscription is done. */
	caughtUp(): void;
	/** A backfill is complete; `found` says whether it brought events that the stream had not. */
	read(found: boolean): void;
	isSparse(): boolean;
	/** Records the highest sequence of public trades at a time. */
	note(events: readonly TopicEvent[], at: number): void;
}

export function createSequenceTracker(clock: Pick<Clock, 'now'>): SequenceTracker {
	let position: Position | undefined;
	let replay: { head?: Position; endsAt: number } | undefined;
	/** Set while a resuming subscription is pending: messages up to `upTo` are replayed, or all messages without it. */
	let expected: { upTo?: Position } | undefined;
	/** The first jump of the sequence numbers that no backfill has explained yet. */
	let jumpedAt: number | undefined;
	let backwards = 0;
	let emptyReadings = 0;
	let highest = 0;
	const marks: { at: number; sequence: number }[] = [];

	function reached(sequence: number, at: number): void {
		if (sequence > highest) highest = sequence;
		const last = marks.at(-1);
		if (last && (last.sequence >= sequence || at - last.at < MARK_EVERY_MS)) return;
		if (marks.push({ at, sequence }) > MARKS_MAX) marks.shift();
	}

	function isReplay(at: Position | undefined): boolean {
		if (expected && (!expected.upTo || isUpTo(at, expected.upTo))) return true;
		if (!replay) return false;
		// Without a position to compare, messages soon after the subscription count as replayed.
		if (!replay.head || !at) return clock.now() < replay.endsAt;
		return isUpTo(at, replay.head);
	}

	return {
		advance: (next) => {
			if (!next) return 'unusable';
			const before = position;
			if (!before) {
				position = next;
				return 'next';
			}
			if (!sameEpoch(before.epoch, next.epoch)) {
				position = next;
				return 'epoch';
			}
			if (next.seq <= before.seq) {
				backwards += isReplay(next) ? 0 : 1;
				if (backwards < BACKWARDS_MAX) return 'old';
				backwards = 0;
				position = next;
				return 'epoch';
			}
			backwards = 0;
			position = next;
			if (next.seq === before.seq + 1) return 'next';
			jumpedAt ??= clock.now();
			return 'gap';
		},
		position: () => position,
		asked: (resumeFrom, isFollowed) => {
			expected = resumeFrom && (isFollowed ? { upTo: position } : {});
		},
		begin: (head, resumedFrom) => {
			expected = undefined;
			// The position starts where the topic was resumed, so that messages missing after it show as a gap.
			position ??= resumedFrom ?? head;
			replay = resumedFrom ? { head, endsAt: clock.now() + REPLAYED_FOR_MS } : undefined;
		},
		confirmedAgain: (head) => {
			if (replay && head) replay.head = head;
		},
		isReplay,
		caughtUp: () => {
			if (!replay?.head) replay = undefined;
		},
		read: (found) => {
			// The list may still lag behind, so an empty backfill explains nothing yet.
			if (jumpedAt === undefined || (!found && clock.now() < jumpedAt + READ_LAG_MS_MAX)) return;
			emptyReadings = found ? 0 : emptyReadings + 1;
			jumpedAt = undefined;
		},
		isSparse: () => emptyReadings >= EMPTY_READINGS_MAX,
		note: (events, at) => {
			for (const { sequence } of events) if (sequence !== undefined) reached(sequence, at);
		},
		reached: (sequence) => reached(sequence, clock.now()),
		restart: () => {
			highest = 0;
			marks.length = 0;
		},
		highest: () => highest,
		settledSequence: () => marks.findLast(({ at }) => at <= clock.now() - SETTLED_AFTER_MS)?.sequence,
	};
}

const isUpTo = (at: Position | undefined, head: Position): boolean =>
	at !== undefined && sameEpoch(at.epoch, head.epoch) && at.seq <= head.seq;
