import type { Step } from '../position';

/**
 * Where an order book stands by its own sequence. A change makes sense only on the book just before it, so what was
 * read has to hold everything that was passed on and everything that is missing.
 */
export interface OrderBookSequence {
	/** The book is known up to here, where it says. */
	begin(sequence: number | undefined): void;
	/** Changes may be missing until it begins anew. */
	markStale(): void;
	isSound(): boolean;
	/** Nothing is known of it any more. */
	forget(): void;
	/** A change was heard: how it follows, given how its message follows the one before. */
	hear(sequence: number | undefined, step: Step): Step;
	/** Whether a change is still to be passed on, which makes it so. */
	pass(sequence: number | undefined): boolean;
	/** Whether a book that was read is too old to go on from, or no newer than a sound one. */
	isOutdated(sequence: number | undefined): boolean;
}

export function createOrderBookSequence(): OrderBookSequence {
	let passed: number | undefined;
	let heard: number | undefined;
	/** What lies before the first change and before the latest jump. */
	let needed: number | undefined;
	/** Whether some change was heard, so that the numbers of the messages tell how the next one follows. */
	let isJoined = false;
	let isSound = false;
	const strides = createStrides();

	/** Neighbours prove that nothing is missing. Others prove nothing, but for the first change of a book. */
	function refined(sequence: number, step: Step): Step {
		if (heard === undefined || step === 'epoch') return step;
		if (strides.areNeighbours(heard, sequence)) return 'next';
		return sequence > heard && (step === 'old' || !isJoined) ? 'gap' : step;
	}

	/** One that was overtaken lies before what the latest jump made needed. */
	const isJump = (sequence: number, step: Step): boolean =>
		heard === undefined || step === 'epoch' || (step !== 'next' && step !== 'old' && sequence > heard);

	return {
		begin: (sequence) => {
			heard = sequence === undefined ? undefined : Math.max(heard ?? sequence, sequence);
			passed = sequence;
			needed = undefined;
			isSound = true;
		},
		markStale: () => void (isSound = false),
		isSound: () => isSound,
		forget: () => {
			passed = heard = needed = undefined;
			isJoined = isSound = false;
		},
		hear: (sequence, given) => {
			if (sequence === undefined) return given;
			const step = refined(sequence, given);
			if (isJump(sequence, step)) needed = sequence - 1;
			if (step === 'epoch') passed = heard = undefined;
			heard = Math.max(heard ?? sequence, sequence);
			isJoined = true;
			return step;
		},
		pass: (sequence) => {
			if (sequence === undefined) return true;
			if (passed !== undefined && sequence <= passed) return false;
			passed = sequence;
			return true;
		},
		isOutdated: (sequence) => {
			if (sequence === undefined) return false;
			if (isSound) return passed !== undefined && sequence <= passed;
			return sequence < Math.max(passed ?? sequence, needed ?? sequence);
		},
	};
}

/** Changes as near as the nearest before it counts that nothing fits between them. */
const NEIGHBOURS_MIN = 10;

/**
 * How far one sequence lies from the next. It need not be one; but two changes lie at least twice as far apart as the
 * nearest do, so between those that do nothing can be missing.
 */
function createStrides() {
	let nearest = Number.POSITIVE_INFINITY;
	let count = 0;

	function note(stride: number): void {
		if (stride < nearest) [nearest, count] = [stride, 0];
		if (stride === nearest) count += 1;
	}

	return {
		areNeighbours: (before: number, sequence: number): boolean => {
			const stride = sequence - before;
			if (stride > 0) note(stride);
			return stride === 1 || (stride === nearest && count >= NEIGHBOURS_MIN);
		},
	};
}
