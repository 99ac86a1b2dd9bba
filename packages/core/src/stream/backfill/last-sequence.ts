import { later, plus, sooner, type Whole } from '../../whole';
import { timeOf, type TopicEvent } from '../topics/event';
import type { SequencePage } from './sequence-list';

/** Limit of the search: bisection over all safe integers needs fewer pages. */
const PAGES_MAX = 60;

/** The border between old and new rows: `old` is the highest sequence known to be old. */
interface Search {
	old: Whole;
	/** The lowest sequence known to be new. */
	young: Whole;
	isOutOfReach: boolean;
}

/**
 * Finds the last sequence number that existed at a moment: in growing steps back from the newest rows, then by
 * bisection. A row without a time counts as old. `isOutOfReach`: the service lists only its newest rows, and all of
 * them are new.
 */
export async function lastSequenceAt(
	moment: number,
	newest: readonly TopicEvent[],
	read: (after: Whole) => Promise<Omit<SequencePage, 'after'>>,
): Promise<Pick<Search, 'old' | 'isOutOfReach'>> {
	const search: Search = { old: 0, young: Number.POSITIVE_INFINITY, isOutOfReach: false };
	let isFound = narrow(search, newest, moment);
	let step = newest.length;
	for (let pages = 0; pages < PAGES_MAX && !isFound; pages += 1) {
		const { old, young } = search;
		const after = old > 0 ? between(old, young) : later(0, plus(young, -1 - (step *= 2)))!;
		const { events, isBackwards } = await read(after);
		if (isBackwards) return { old: plus(young, -1), isOutOfReach: true };
		// No row lies between `after` and the lowest new sequence.
		if ((events[0]?.sequence ?? young) >= young) search.young = plus(after, 1);
		isFound = narrow(search, events, moment);
	}
	return search;
}

/** Narrows the search by one page; returns whether the border is on it. */
function narrow(search: Search, events: readonly TopicEvent[], moment: number): boolean {
	const isOld = ({ item }: TopicEvent): boolean => ((item && timeOf(item)) ?? moment) <= moment;
	const [lastOld, firstNew] = [events.findLast(isOld)?.sequence, events.find((event) => !isOld(event))?.sequence];
	search.old = later(search.old, lastOld)!;
	search.young = sooner(search.young, firstNew ?? search.young);
	return (
		(lastOld !== undefined && firstNew !== undefined) ||
		plus(search.old, 1) >= search.young ||
		search.young === Infinity
	);
}

/** The number in the middle before `young`. */
const between = (old: Whole, young: Whole): Whole => plus(old, Number((BigInt(young) - BigInt(old) - 1n) / 2n));
