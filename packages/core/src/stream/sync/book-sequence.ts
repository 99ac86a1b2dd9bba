import type { Clock } from '../../ports';
import { latest } from '../ledger/numbers';
import { READ_LAG_MS_MAX } from '../limits';
import type { Step } from '../position';

/**
 * Tracks the sequence of an order book. A change applies only to the book directly before it, so a snapshot is usable
 * only if it includes every change that was delivered and every change that is missing.
 */
export interface OrderBookSequence {
	/** A snapshot was taken. `sequence` is its own sequence, if it carries one. */
	begin(sequence: number | undefined): void;
	/** Changes may be missing until the next snapshot. */
	markStale(): void;
	isSound(): boolean;
	/**
	 * A subscription was confirmed, so everything but the newest change delivered is forgotten. `isOtherRun`: the epoch is
	 * another one, so that change says nothing either.
	 */
	restart(isOtherRun: boolean): void;
	/** A change arrived. Returns how it follows the change before, given how its message follows the message before. */
	hear(sequence: number | undefined, step: Step): Step;
	/** Returns whether a change is newer than everything delivered, and if so records it as delivered. */
	pass(sequence: number | undefined): boolean;
	/** Whether a snapshot is too old for the changes there were, or no newer than a sound book. */
	isOutdated(sequence: number | undefined): boolean;
}

export function createOrderBookSequence(clock: Pick<Clock, 'elapsed'>): OrderBookSequence {
	let passed: number | undefined;
	let heard: number | undefined;
	/** The sequence a snapshot must reach: the one before the first change, or before the latest jump. */
	let needed: number | undefined;
	/** Whether a change has arrived, so that message numbers show how the next one follows. */
	let isJoined = false;
	let isSound = false;
	/** The newest change delivered before the present subscription, and since when snapshots have been older than that. */
	let [before, olderSince]: [sequence?: number, since?: number] = [];
	const strides = createStrides();
	const jumps = createJumps();

	/** Whether a snapshot is older than what the subscription before delivered. If it stays so, the service counts anew. */
	function isFromBefore(sequence: number): boolean {
		if (before === undefined || sequence >= before) return false;
		olderSince ??= clock.elapsed();
		return clock.elapsed() - olderSince < READ_LAG_MS_MAX;
	}

	/** Neighbouring sequences prove that nothing is missing. A jump proves nothing, except before the first change. */
	function refined(sequence: number, step: Step): Step {
		if (heard === undefined || step === 'epoch') return step;
		if (strides.areNeighbours(heard, sequence)) return 'next';
		return sequence > heard && (step === 'old' || !isJoined) ? 'gap' : step;
	}

	/** A change that arrives out of order is no jump: it lies before the sequence needed already. */
	const isJump = (sequence: number, step: Step): boolean =>
		heard === undefined || step === 'epoch' || (step !== 'next' && step !== 'old' && sequence > heard);

	return {
		begin: (sequence) => {
			heard = sequence === undefined ? undefined : Math.max(heard ?? sequence, sequence);
			passed = sequence;
			needed = before = olderSince = undefined;
			isSound = true;
		},
		markStale: () => void (isSound = false),
		isSound: () => isSound,
		restart: (isOtherRun) => {
			before = isOtherRun ? undefined : latest(before, passed);
			passed = heard = needed = olderSince = undefined;
			isJoined = isSound = false;
		},
		hear: (sequence, given) => {
			if (sequence === undefined) return jumps.judge(given);
			const step = refined(sequence, given);
			if (isJump(sequence, step)) needed = sequence - 1;
			if (step === 'epoch') passed = heard = before = undefined;
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
			return sequence < Math.max(passed ?? sequence, needed ?? sequence) || isFromBefore(sequence);
		},
	};
}

/** How often the smallest distance must have been seen before two changes at that distance count as neighbours. */
const NEIGHBOURS_MIN = 10;

/**
 * Learns the distance between consecutive sequences, which need not be one. If a change is missing between two others,
 * their distance is at least twice the smallest, so nothing is missing between two at the smallest distance.
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

/** Jumps of the message numbers after which jumps count as normal, unless so many messages in a row showed none. */
const JUMPS_MAX = 3;
const NO_JUMPS_MIN = 100;

/**
 * A book without a sequence has nothing but the numbers of its messages to show that changes are missing. Where those
 * jump again and again, perhaps because other topics share them, a jump proves nothing.
 */
function createJumps() {
	let [count, without] = [0, 0];
	return {
		judge: (step: Step): Step => {
			if (step !== 'gap') {
				without += 1;
				if (without >= NO_JUMPS_MIN) count = 0;
				return step;
			}
			without = 0;
			count += 1;
			return count > JUMPS_MAX ? 'next' : step;
		},
	};
}
