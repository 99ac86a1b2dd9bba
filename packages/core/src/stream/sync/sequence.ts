import type { Clock } from '../../ports';
import type { TopicEvent } from '../topics/event';
import type { TopicNumbers } from '../backfill/sequence-backfill';
import { READ_LAG_MS_MAX } from '../limits';
import { sameEpoch, type Position, type Step } from '../position';

/** Consecutive backfills that found nothing behind a jump of the numbers, after which jumps count as normal. */
const VAIN_READINGS_MAX = 3;
/** A sequence counts as complete only once it is so old, because lists lag behind the stream. */
const SETTLED_AFTER_MS = 30_000;
/** Consecutive lower numbers, outside a replay, after which a restart of the numbers is assumed. */
const BACKWARDS_MAX = 3;
/** How long messages count as replayed where the service does not say where it stands. */
const REPLAYED_FOR_MS = 2_000;
const MARK_EVERY_MS = 1_000;
const MARKS_MAX = 100;

/**
 * Where a topic stands. The numbers resume it and hint at gaps; they never decide whether an event counts, because they
 * are monotonic but need not be consecutive, and may start again. (Interface, part 6.)
 */
export interface SequenceTracker extends TopicNumbers {
	/** A message arrived, with its position if it has one. */
	advance(next: Position | undefined): Step;
	/** A subscription was sent, perhaps with a position to resume from: what is replayed may come before its confirmation. */
	asked(resumeFrom: Position | undefined, isFollowed: boolean): void;
	/** A subscription was confirmed, perhaps with the position the service is at, perhaps after one to resume from. */
	begin(head: Position | undefined, resumedFrom: Position | undefined): void;
	isReplay(position: Position | undefined): boolean;
	/** The first backfill after a subscription is done. */
	caughtUp(): void;
	/** A reading found something that the stream had not brought, or nothing. */
	read(found: boolean): void;
	isSparse(): boolean;
	/** Public trades: the highest sequence seen by a time. */
	note(events: readonly TopicEvent[], at: number): void;
}

export function createSequenceTracker(clock: Pick<Clock, 'now'>): SequenceTracker {
	let position: Position | undefined;
	let replay: { head?: Position; endsAt: number } | undefined;
	/** Of a subscription that is not confirmed: everything is replayed, or only what lies before where the topic stood. */
	let expected: { upTo?: Position } | undefined;
	/** When the numbers jumped first since a reading explained it. */
	let jumpedAt: number | undefined;
	let backwards = 0;
	let vainReadings = 0;
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
		// Where nothing tells what is replayed, it is what comes soon after the subscription.
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
			// The topic stands where it was resumed from: what is missing after it shows as a gap.
			position ??= resumedFrom ?? head;
			replay = resumedFrom ? { head, endsAt: clock.now() + REPLAYED_FOR_MS } : undefined;
		},
		isReplay,
		caughtUp: () => {
			if (!replay?.head) replay = undefined;
		},
		read: (found) => {
			// A list that lags behind explains nothing yet.
			if (jumpedAt === undefined || (!found && clock.now() < jumpedAt + READ_LAG_MS_MAX)) return;
			vainReadings = found ? 0 : vainReadings + 1;
			jumpedAt = undefined;
		},
		isSparse: () => vainReadings >= VAIN_READINGS_MAX,
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
