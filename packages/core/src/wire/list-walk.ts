import { learnOrder, type ListShape } from './list-shape';
import type { Item } from './payload';

export interface ListWalkOptions {
	shape: ListShape;
	/**
	 * Reads one page from an offset; an offset beyond the end returns no rows. After a rejection the walk retries the
	 * same page.
	 */
	read(offset: number): Promise<Item[]>;
	identityOf(item: Item): string;
	timeOf(item: Item): number | undefined;
	/** Whether a row needs no further processing. */
	isSettled(item: Item): boolean;
	/** So many settled rows in a row prove that the older part of an ordered list holds nothing new. */
	settledInARow: number;
}

/** One walk over a list, which keeps its offset: after a failed or slow page it continues there. */
export interface ListWalk {
	/** The next page; undefined once every row that may be new was read. */
	next(): Promise<Item[] | undefined>;
	pages(): number;
	/** Whether the whole list was read. */
	isWhole(): boolean;
}

/** Rows read twice at a page boundary, because inserted and removed rows shift the others during the walk. */
const OVERLAP_MAX = 10;
/** Pages in a row without a new row, after which the list counts as ended. */
const REPEATS_MAX = 20;

/** The state of one walk. */
interface Place extends ListWalkOptions {
	stage: 'forward' | 'find_end' | 'tail' | 'backward' | 'done';
	offset: number;
	pages: number;
	pageLength: number;
	/** Identities of the rows read in this walk. */
	seen: Set<string>;
	/** Settled rows in a row, counted at the latest position. */
	settled: number;
	/** Rows read without a gap from the beginning of the list. */
	begun: number;
	/**
	 * During the search for the end: the number of rows known to exist, and the first offset known to be beyond the
	 * end.
	 */
	low: number;
	high?: number;
	/** Rows of the next page that should be known, because the page before ended with them. */
	overlap: number;
	/** Pages by which the latest step went back; zero once a page has the overlap. */
	back: number;
	/** No new row was read since that step, so another page without the overlap lies behind the end. */
	isBackInVain: boolean;
	repeats: number;
	/** Read to the end, because the learned order turned out to be wrong. */
	isToTheEnd: boolean;
	firstIdentity?: string;
	isWhole: boolean;
}

/**
 * Walks a list from its newest end back to the settled rows. A list without a known order, or with rows that contradict
 * the learned order, is read whole.
 */
export function createListWalk(options: ListWalkOptions): ListWalk {
	const { shape, read, identityOf } = options;
	const place = placeAtBeginning(options);
	if (shape.order === 'oldest_first' && shape.end !== undefined && shape.end > 2 * OVERLAP_MAX)
		beginTail(place, shape.end - OVERLAP_MAX);

	return {
		next: async () => {
			if (place.stage === 'done') return undefined;
			// Only a page that was read moves the walk, so a failed page is read again.
			const offset = nextOffset(place);
			const items = await read(offset);
			place.offset = offset;
			place.pages += 1;
			place.pageLength = Math.max(place.pageLength, items.length);
			const before = shape.order;
			learnOrder(
				shape,
				items.flatMap((item) => options.timeOf(item) ?? []),
			);
			if (before !== shape.order && place.stage !== 'forward') restart(place);
			else stages[place.stage](place, items);
			place.firstIdentity = items[0] && identityOf(items[0]);
			return items;
		},
		pages: () => place.pages,
		isWhole: () => place.isWhole,
	};
}

const placeAtBeginning = (options: ListWalkOptions): Place => ({
	...options,
	stage: 'forward',
	offset: 0,
	pages: 0,
	pageLength: 0,
	seen: new Set(),
	settled: 0,
	begun: 0,
	low: 0,
	overlap: 0,
	back: 0,
	isBackInVain: false,
	repeats: 0,
	isToTheEnd: false,
	isWhole: false,
});

const overlapOf = (length: number): number => Math.min(OVERLAP_MAX, Math.floor(length / 4));

const nextOffset = ({ stage, offset, pageLength }: Place): number =>
	stage === 'backward' ? Math.max(0, offset - Math.max(1, pageLength - overlapOf(pageLength))) : offset;

/** How a page changes the walk, by the stage of the walk. */
const stages = { forward, find_end: findEnd, tail, backward };

/** Counts the rows not yet seen in this walk, and how many settled rows came last, counted from the newest. */
function take(place: Place, items: readonly Item[], newestLast: boolean): number {
	let fresh = 0;
	for (const item of newestLast ? [...items].reverse() : items) {
		const identity = place.identityOf(item);
		if (!place.seen.has(identity)) fresh += 1;
		place.seen.add(identity);
		place.settled = place.isSettled(item) ? place.settled + 1 : 0;
	}
	return fresh;
}

function forward(place: Place, items: Item[]): void {
	const { shape, offset, isToTheEnd, back } = place;
	const joins = offset === 0 || (items[0] !== undefined && place.seen.has(place.identityOf(items[0])));
	const fresh = take(place, items, false);
	place.isBackInVain &&= fresh === 0;
	if (!joins && place.overlap > 0 && (back > 0 || !place.isBackInVain)) return stepBack(place);
	if (items.length === 0) return finish(place);
	place.back = 0;
	place.overlap = overlapOf(items.length);
	if (fresh === 0 && back === 0) return repeated(place, items);
	// Behind a step that went back too far, as many pages may hold known rows alone.
	place.repeats = 0 - back;
	if (shape.order === 'newest_first' && !isToTheEnd && place.settled >= place.settledInARow)
		return void (place.stage = 'done');
	if (shape.order === 'oldest_first' && !isToTheEnd && offset === 0) return beginFindEnd(place, items.length);
	place.offset = offset + items.length - place.overlap;
}

/**
 * A page without the overlap: so many rows were removed that others moved up past this offset. Steps back, each time
 * twice as far, to read the rows between.
 */
function stepBack(place: Place): void {
	place.back = Math.max(1, place.back * 2);
	place.isBackInVain = true;
	place.offset = Math.max(0, place.offset - place.back * (place.pageLength - overlapOf(place.pageLength)));
}

/**
 * A page without new rows: the list ends here, or ignores the offset, or many rows were inserted in front meanwhile.
 */
function repeated(place: Place, items: readonly Item[]): void {
	place.repeats += 1;
	const isShort = items.length < place.pageLength || items.length <= OVERLAP_MAX;
	// Once may be chance: as many rows were inserted as lie between two offsets.
	const ignoresOffset = place.repeats > 1 && place.identityOf(items[0]!) === place.firstIdentity;
	if (isShort || ignoresOffset || place.repeats > REPEATS_MAX) return finish(place);
	place.offset += items.length - place.overlap;
}

function beginFindEnd(place: Place, length: number): void {
	place.stage = 'find_end';
	place.begun = place.low = length;
	place.offset = length * 2;
	place.settled = 0;
}

/** Doubles the offset until a page is empty, then bisects until the end lies within one page. */
function findEnd(place: Place, items: Item[]): void {
	const { offset } = place;
	const isBeyond = take(place, items, true) === 0;
	place.settled = 0;
	if (isBeyond) place.high = Math.min(place.high ?? offset, offset);
	else place.low = Math.max(place.low, offset + items.length);
	const { low, high } = place;
	if (high !== undefined && high - low <= Math.max(1, place.pageLength))
		return beginTail(place, low - overlapOf(place.pageLength));
	place.offset = high === undefined ? low * 2 : low + Math.floor((high - low) / 2);
}

/** Starts less than a page before the known end, so that a page without new rows is the one behind the end. */
function beginTail(place: Place, offset: number): void {
	place.stage = 'tail';
	place.offset = Math.max(0, offset);
	place.low = place.offset;
}

function tail(place: Place, items: Item[]): void {
	const { offset, low } = place;
	const fresh = take(place, items, true);
	if (items.length === 0 && offset > 0 && place.seen.size === 0) return restart(place);
	if (items.length > 0 && fresh > 0)
		return void (place.offset = offset + Math.max(1, items.length - overlapOf(items.length)));
	place.shape.end = Math.max(low, offset);
	place.stage = low <= place.begun || place.settled >= place.settledInARow ? 'done' : 'backward';
	place.offset = low;
}

function backward(place: Place, items: Item[]): void {
	take(place, items, true);
	if (place.offset === 0 || place.settled >= place.settledInARow) place.stage = 'done';
}

/** The list got shorter or its order was misjudged: read everything again. */
function restart(place: Place): void {
	place.seen.clear();
	place.shape.end = undefined;
	place.stage = 'forward';
	Object.assign(place, {
		offset: 0,
		settled: 0,
		repeats: 0,
		overlap: 0,
		back: 0,
		isBackInVain: false,
		isToTheEnd: true,
	});
}

function finish(place: Place): void {
	place.shape.end = place.offset;
	place.stage = 'done';
	place.isWhole = true;
}
