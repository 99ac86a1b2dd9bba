import { plus } from '../whole';
import { BACKWARDS_MAX, EMPTY_READS_MAX, READ_LAG_MS_MAX, REPLAYED_FOR_MS } from './limits';
import { sameEpoch, type Position, type Step } from './position';

/**
 * Where a topic stands. Sequence numbers serve to resume and hint at gaps. They never decide whether an event is new,
 * because they are monotonic but not necessarily consecutive, and may restart. (Interface, part 6.)
 */
export interface SequenceState {
	/** The position of the latest message, or where the topic was resumed. */
	position?: Position;
	/** The topic was resumed: messages up to `head` are replayed, or those until `endsAt` where no head is known. */
	replay?: { head?: Position; endsAt: number };
	/** A resuming subscription is pending: messages up to `upTo` are replayed, or all messages without it. */
	expected?: { upTo?: Position };
	/** The first jump of the sequence numbers, or message without one, that no read has explained yet. */
	jumpedAt?: number;
	/** Messages in a row whose numbers went back. After `BACKWARDS_MAX` of them the numbers have restarted. */
	backwards: number;
	/** Reads in a row that found nothing behind a jump. */
	emptyReads: number;
}

export const noSequence = (): SequenceState => ({ backwards: 0, emptyReads: 0 });

/** How a message follows the one before. All functions change the state in place. */
export function advance(state: SequenceState, next: Position | undefined, now: number): Step {
	if (!next) {
		state.jumpedAt ??= now;
		return 'unusable';
	}
	const before = state.position;
	if (!before) {
		state.position = next;
		return 'next';
	}
	if (!sameEpoch(before.epoch, next.epoch)) {
		state.position = next;
		return 'epoch';
	}
	if (next.seq <= before.seq) {
		state.backwards += isReplay(state, next, now) ? 0 : 1;
		if (state.backwards < BACKWARDS_MAX) return 'old';
		state.backwards = 0;
		state.position = next;
		return 'epoch';
	}
	state.backwards = 0;
	state.position = next;
	if (next.seq === plus(before.seq, 1)) return 'next';
	state.jumpedAt ??= now;
	return 'gap';
}

/** A subscription was sent, perhaps with a position to resume from. Its replay may arrive before its confirmation. */
export function expectReplay(state: SequenceState, resumeFrom: Position | undefined, isFollowed: boolean): void {
	state.expected = resumeFrom && (isFollowed ? { upTo: state.position } : {});
}

/** A subscription was confirmed. `head` is the position of the service, if it tells one. */
export function begin(
	state: SequenceState,
	{ head, resumedFrom }: { head?: Position; resumedFrom?: Position },
	now: number,
): void {
	state.expected = undefined;
	// The position starts where the topic was resumed, so that messages missing after it show as a gap.
	state.position ??= resumedFrom ?? head;
	state.replay = resumedFrom ? { head, endsAt: now + REPLAYED_FOR_MS } : undefined;
}

/** Another subscription was confirmed, which replays up to `head`. */
export function extendReplay({ replay }: SequenceState, head: Position | undefined): void {
	if (replay && head) replay.head = head;
}

export function isReplay({ expected, replay }: SequenceState, at: Position | undefined, now: number): boolean {
	if (expected && (!expected.upTo || isUpTo(at, expected.upTo))) return true;
	if (!replay) return false;
	// Without a position to compare, messages soon after the subscription count as replayed.
	if (!replay.head || !at) return now < replay.endsAt;
	return isUpTo(at, replay.head);
}

const isUpTo = (at: Position | undefined, head: Position): boolean =>
	at !== undefined && sameEpoch(at.epoch, head.epoch) && at.seq <= head.seq;

/** The first read after a subscription is done. */
export function endReplay(state: SequenceState): void {
	if (!state.replay?.head) state.replay = undefined;
}

/** A read is complete; `found` says whether it brought events that the stream had not. */
export function explainJump(state: SequenceState, hasNews: boolean, now: number): void {
	// The list may still lag behind, so an empty read explains nothing yet.
	if (state.jumpedAt === undefined || (!hasNews && now < state.jumpedAt + READ_LAG_MS_MAX)) return;
	state.emptyReads = hasNews ? 0 : state.emptyReads + 1;
	state.jumpedAt = undefined;
}

/** Whether jumps have proved normal. */
export const isSparse = ({ emptyReads }: SequenceState): boolean => emptyReads >= EMPTY_READS_MAX;
