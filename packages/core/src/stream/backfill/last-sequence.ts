import { timeOf, type TopicEvent } from '../topics/event';

/** Rows of one page in their sequence. */
export interface SequencePage {
	events: TopicEvent[];
	/** Whether the service answers the newest rows, and those in front of the others. */
	isBackwards: boolean;
}

/** Halving finds a number among more than there will ever be in fewer pages. */
const PAGES_MAX = 60;

/** The highest sequence that is old. */
interface Search {
	old: number;
	/** The lowest sequence that is new. */
	young: number;
	isOutOfReach: boolean;
}

/**
 * The last number that was there at a moment, looked for from the newest rows back in growing steps and then by halves.
 * A row without a time counts as old. `isOutOfReach` says that the service shows its newest rows alone, all of them new.
 */
export async function lastSequenceAt(
	moment: number,
	newest: readonly TopicEvent[],
	read: (after: number) => Promise<SequencePage>,
): Promise<Pick<Search, 'old' | 'isOutOfReach'>> {
	const search: Search = { old: 0, young: Number.POSITIVE_INFINITY, isOutOfReach: false };
	let isFound = narrow(search, newest, moment);
	let step = newest.length;
	for (let pages = 0; pages < PAGES_MAX && !isFound; pages += 1) {
		const { old, young } = search;
		const after = old > 0 ? Math.floor((old + young - 1) / 2) : Math.max(0, young - 1 - (step *= 2));
		const { events, isBackwards } = await read(after);
		if (isBackwards) return { old: young - 1, isOutOfReach: true };
		// Nothing stands between here and what is new.
		if ((events[0]?.sequence ?? young) >= young) search.young = after + 1;
		isFound = narrow(search, events, moment);
	}
	return search;
}

/** Narrows the search by one page; returns whether the border is on it. */
function narrow(search: Search, events: readonly TopicEvent[], moment: number): boolean {
	const isOld = ({ item }: TopicEvent): boolean => ((item && timeOf(item)) ?? moment) <= moment;
	const [lastOld, firstNew] = [events.findLast(isOld)?.sequence, events.find((event) => !isOld(event))?.sequence];
	search.old = Math.max(search.old, lastOld ?? 0);
	search.young = Math.min(search.young, firstNew ?? search.young);
	return (
		(lastOld !== undefined && firstNew !== undefined) || search.old + 1 >= search.young || search.young === Infinity
	);
}
