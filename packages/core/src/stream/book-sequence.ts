import { later, plus, type Whole } from '../whole';
import { JUMPS_MAX, NEIGHBOURS_MIN, NO_JUMPS_MIN, READ_LAG_MS_MAX } from './limits';
import type { Step } from './position';

/**
 * Where an order book stands. A change applies only to the book directly before it, so a snapshot is usable only if it
 * includes every change that was delivered and every change that is missing.
 */
export interface BookState {
	/** The change of the latest message. */
	latest?: Whole;
	/** The newest change delivered. */
	delivered?: Whole;
	/** The newest change that arrived. */
	arrived?: Whole;
	/** The sequence a snapshot must reach: the one before the first change, or before the latest jump. */
	needed?: Whole;
	/** How many snapshots it began with. */
	begun: number;
	/** Whether a change has arrived, so that message numbers show how the next one follows. */
	isJoined: boolean;
	/** Whether no change is missing since the snapshot. */
	isSound: boolean;
	/** The newest change delivered before the present subscription. */
	before?: Whole;
	/** Since when snapshots have been older than `before`. */
	olderSince?: number;
	/** The smallest distance between two changes, and how often it was seen. */
	nearest?: number;
	nearestCount: number;
	/** Jumps of the message numbers, and messages in a row without one. */
	jumps: number;
	withoutJump: number;
}

export const noBook = (): BookState => ({
	isJoined: false,
	isSound: false,
	begun: 0,
	nearestCount: 0,
	jumps: 0,
	withoutJump: 0,
});

/** A snapshot was taken. `sequence` is its own, if it carries one. All functions change the state in place. */
export function beginBook(book: BookState, sequence: Whole | undefined): void {
	book.arrived = sequence === undefined ? undefined : later(book.arrived, sequence);
	book.delivered = sequence;
	book.needed = book.before = book.olderSince = undefined;
	book.isSound = true;
	book.begun += 1;
}

/**
 * A subscription was confirmed, so everything but the newest change delivered is forgotten. `isOtherRun`: the epoch is
 * another one, so that change says nothing either.
 */
export function restartBook(book: BookState, isOtherRun: boolean): void {
	book.before = isOtherRun ? undefined : later(book.before, book.delivered);
	book.latest = book.delivered = book.arrived = book.needed = book.olderSince = undefined;
	book.isJoined = book.isSound = false;
}

/** How a change follows the one before, given how its message follows the message before. */
export function follow(book: BookState, sequence: Whole | undefined, move: Step): Step {
	if (sequence === undefined) return withoutSequence(book, move);
	// Of messages in a row the later one has the later change, unless the book counts anew.
	const isAnew = move === 'next' && sequence < (book.latest ?? sequence);
	const step = isAnew ? 'epoch' : refined(book, sequence, move);
	if (move !== 'old') book.latest = sequence;
	if (isJump(book, sequence, step)) book.needed = plus(sequence, -1);
	if (step === 'epoch') book.delivered = book.arrived = book.before = undefined;
	book.arrived = later(book.arrived, sequence);
	book.isJoined = true;
	return step;
}

/** Returns whether a change is newer than everything delivered, and if so records it as delivered. */
export function passChange(book: BookState, sequence: Whole | undefined): boolean {
	if (sequence === undefined) return true;
	if (book.delivered !== undefined && sequence <= book.delivered) return false;
	book.delivered = sequence;
	return true;
}

/** Whether a snapshot is too old for the changes there were, or no newer than a sound book. */
export function isOutdated(book: BookState, sequence: Whole | undefined, now: number): boolean {
	const { delivered, needed, isSound } = book;
	if (sequence === undefined) return false;
	if (isSound) return delivered !== undefined && sequence <= delivered;
	return sequence < (later(delivered, needed) ?? sequence) || isFromBefore(book, sequence, now);
}

/** Whether a snapshot is older than what the subscription before delivered. If it stays so, the service counts anew. */
function isFromBefore(book: BookState, sequence: Whole, now: number): boolean {
	if (book.before === undefined || sequence >= book.before) return false;
	book.olderSince ??= now;
	return now - book.olderSince < READ_LAG_MS_MAX;
}

/** Neighbouring sequences prove that nothing is missing. A jump proves nothing, except before the first change. */
function refined(book: BookState, sequence: Whole, step: Step): Step {
	if (book.arrived === undefined || step === 'epoch') return step;
	if (areNeighbours(book, book.arrived, sequence)) return 'next';
	// A snapshot that was read meanwhile holds it, and all that came before it.
	if (book.latest !== undefined && sequence > book.latest && sequence <= book.arrived) return 'next';
	return sequence > book.arrived && (step === 'old' || !book.isJoined) ? 'gap' : step;
}

/** A change that arrives out of order is no jump: it lies before the sequence needed already. */
const isJump = ({ arrived }: BookState, sequence: Whole, step: Step): boolean =>
	arrived === undefined || step === 'epoch' || (step !== 'next' && step !== 'old' && sequence > arrived);

/**
 * The distance between consecutive sequences need not be one, so it is learned. If a change is missing between two
 * others, their distance is at least twice the smallest, so nothing is missing between two at the smallest distance.
 */
function areNeighbours(book: BookState, before: Whole, sequence: Whole): boolean {
	const stride = Number(BigInt(sequence) - BigInt(before));
	if (stride > 0 && stride < (book.nearest ?? Number.POSITIVE_INFINITY))
		[book.nearest, book.nearestCount] = [stride, 0];
	if (stride > 0 && stride === book.nearest) book.nearestCount += 1;
	return stride === 1 || (stride === book.nearest && book.nearestCount >= NEIGHBOURS_MIN);
}

/**
 * A book without a sequence has nothing but the numbers of its messages to show that changes are missing. Where those
 * jump again and again, perhaps because other topics share them, a jump proves nothing.
 */
function withoutSequence(book: BookState, step: Step): Step {
	if (step !== 'gap') {
		book.withoutJump += 1;
		if (book.withoutJump >= NO_JUMPS_MIN) book.jumps = 0;
		return step;
	}
	book.withoutJump = 0;
	book.jumps += 1;
	return book.jumps > JUMPS_MAX ? 'next' : step;
}
