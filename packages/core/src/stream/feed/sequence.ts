import { plus } from '../../whole';
import { EMPTY_READS_MAX, READ_LAG_MS_MAX, REPLAYED_FOR_MS } from '../limits';
import { isUpTo, sameEpoch, type Position, type Step } from '../position';

/**
 * The position of a topic on the stream. It serves to resume, and hints at gaps. It never decides whether an event is
 * new: numbers are monotonic, but not necessarily consecutive, and may restart. (Interface, part 6.)
 */
export interface SequenceState {
	/** The position of the latest message, or where the topic was resumed. */
	position?: Position;
	/** The topic is resumed: messages up to this position are replayed, or those until `endsAt` where none can be compared. */
	replay?: { upTo?: Position; endsAt: number };
	/** The first jump of the sequence numbers, or message without one, that no read has explained yet. */
	jumpedAt?: number;
	/** Reads in a row that found nothing behind a jump. */
	emptyReads: number;
}

export const noSequence = (): SequenceState => ({ emptyReads: 0 });

/** How a message follows the one before. All functions change the state in place. */
export function advance(state: SequenceState, next: Position | undefined, now: number): Step {
	if (!next) {
		state.jumpedAt ??= now;
		return 'unusable';
	}
	const before = state.position;
	if (isUpTo(next, before)) return 'old';
	state.position = next;
	if (!before || (sameEpoch(before.epoch, next.epoch) && next.seq === plus(before.seq, 1))) return 'next';
	if (!sameEpoch(before.epoch, next.epoch)) return 'epoch';
	state.jumpedAt ??= now;
	return 'gap';
}

/** A subscription was sent, perhaps with a position to resume from. Its replay may arrive before its confirmation. */
export function expectReplay(state: SequenceState, resumeFrom: Position | undefined, isConfirmed: boolean): void {
	state.replay = resumeFrom && { upTo: isConfirmed ? state.position : undefined, endsAt: Infinity };
}

/** A subscription was confirmed. `head` is the position of the service, if it tells one. */
export function startFrom(
	state: SequenceState,
	{ head, resumedFrom }: { head?: Position; resumedFrom?: Position },
	now: number,
): void {
	// The position starts where the topic was resumed, so that messages missing after it show as a gap.
	state.position ??= resumedFrom ?? head;
	state.replay = resumedFrom && { upTo: head, endsAt: now + REPLAYED_FOR_MS };
}

export function isReplay({ replay }: SequenceState, at: Position | undefined, now: number): boolean {
	if (!replay) return false;
	return replay.upTo && at ? isUpTo(at, replay.upTo) : now < replay.endsAt;
}

/** The first read after a subscription is done. */
export function endReplay(state: SequenceState): void {
	if (!state.replay?.upTo && state.replay?.endsAt !== Infinity) state.replay = undefined;
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
