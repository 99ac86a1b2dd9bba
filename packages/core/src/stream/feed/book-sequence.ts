import { later, plus, type Whole } from '../../whole';
import type { Step } from '../position';

/** How far an order book has come since its subscription was confirmed. It begins at its latest snapshot. */
export interface BookState {
	/** The newest change that arrived. */
	arrived?: Whole;
	/** What a snapshot must reach: the newest change that was delivered, and the one before the latest jump. */
	needed?: Whole;
	/** Whether each change since the snapshot followed the one before. */
	isSound: boolean;
}

export const noBook = (): BookState => ({ isSound: false });

/**
 * How a change follows the one before: its own sequence proves it by a step of one, or its message does. All functions
 * change the state in place.
 */
export function follow(book: BookState, sequence: Whole | undefined, move: Step): Step {
	if (sequence === undefined) return move;
	const { arrived } = book;
	const last = later(arrived, book.needed);
	// The later of two messages in a row has the later change, unless the book has begun to count again.
	const isAnew = move === 'epoch' || (move === 'next' && arrived !== undefined && sequence < arrived);
	if (!isAnew && arrived !== undefined && sequence <= arrived) return move;
	book.arrived = sequence;
	const isProven = last !== undefined && sequence <= plus(last, 1);
	if (!isAnew && (isProven || (move === 'next' && arrived !== undefined))) return 'next';
	book.needed = plus(sequence, -1);
	if (isAnew) return 'epoch';
	return last === undefined ? move : 'gap';
}

/** Whether a change is newer than what was delivered. It counts as delivered from then on. */
export function passChange(book: BookState, sequence: Whole | undefined): boolean {
	if (sequence === undefined) return true;
	if (book.needed !== undefined && sequence <= book.needed) return false;
	book.needed = sequence;
	return true;
}

/** Whether a snapshot lacks a change that was delivered or is missing, or is no newer than a sound book. */
export const isOutdated = ({ needed, isSound }: BookState, sequence: Whole | undefined): boolean =>
	sequence !== undefined && needed !== undefined && (isSound ? sequence <= needed : sequence < needed);
