import type { Item } from './payload';

/** The order of a list by time. The interface does not show it, so it is learned from the rows. */
type ListOrder = 'newest_first' | 'oldest_first' | 'unknown';

/** What is learned about a list and kept between walks. */
export interface ListShape {
	order: ListOrder;
	/** Number of rows when the end of the list was last seen. */
	end?: number;
	/** Pairs of rows in which the later row is newer (rising) or older (falling). */
	rising: number;
	falling: number;
	/** Some rows contradicted the learned order, so the list counts as unordered from then on. */
	isContradicted?: boolean;
}

export const unknownShape = (): ListShape => ({ order: 'unknown', rising: 0, falling: 0 });

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
/** Largest disorder by time that an ordered list may show: concurrent inserts overtake each other. */
const DISORDER_MS_MAX = 60_000;

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
	hasSteppedBack: boolean;
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
			learnOrder(items, options);
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
	hasSteppedBack: false,
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
	const { shape, offset, hasSteppedBack, isToTheEnd } = place;
	const joins = offset === 0 || (items[0] !== undefined && place.seen.has(place.identityOf(items[0])));
	const fresh = take(place, items, false);
	const overlap = overlapOf(items.length);
	if (items.length === 0) return finish(place);
	if (fresh === 0 && !hasSteppedBack) return repeated(place, items, overlap);
	place.repeats = 0;
	if (shape.order === 'newest_first' && !isToTheEnd && place.settled >= place.settledInARow)
		return void (place.stage = 'done');
	if (shape.order === 'oldest_first' && !isToTheEnd && offset === 0) return beginFindEnd(place, items.length);
	// The page has no overlap with the previous one, so rows were removed and others moved up: step back and read the
	// rows between.
	const steppedBack = !joins && overlap > 0 && !hasSteppedBack;
	place.offset = steppedBack ? Math.max(0, offset - items.length + overlap) : offset + items.length - overlap;
	place.hasSteppedBack = steppedBack;
}

/**
 * A page without new rows: the list ends here, or ignores the offset, or many rows were inserted in front meanwhile.
 */
function repeated(place: Place, items: readonly Item[], overlap: number): void {
	place.repeats += 1;
	const isShort = items.length < place.pageLength || items.length <= OVERLAP_MAX;
	// Once may be chance: as many rows were inserted as lie between two offsets.
	const ignoresOffset = place.repeats > 1 && place.identityOf(items[0]!) === place.firstIdentity;
	if (isShort || ignoresOffset || place.repeats > REPEATS_MAX) return finish(place);
	place.offset += items.length - overlap;
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
	Object.assign(place, { offset: 0, settled: 0, repeats: 0, hasSteppedBack: false, isToTheEnd: true });
}

function finish(place: Place): void {
	place.shape.end = place.offset;
	place.stage = 'done';
	place.isWhole = true;
}

/** Share of the compared pairs that has to agree on an order. */
const AGREEMENT = 0.7;
/** Above this number of pairs the old ones lose weight, so that a changed order is noticed. */
const PAIRS_MAX = 2_000;

/** Learns the order of the list. Neighbours in the wrong order and far apart in time contradict it for good. */
function learnOrder(items: readonly Item[], { shape, timeOf }: ListWalkOptions): void {
	const times = items.flatMap((item) => timeOf(item) ?? []);
	const steps = times.slice(1).map((time, index) => time - times[index]!);
	// Neighbours may share a time or overtake each other, so rows half a page apart are compared.
	const half = Math.ceil(times.length / 2);
	const strides = times.slice(half).map((time, index) => time - times[index]!);
	const keeps = shape.rising + shape.falling > PAIRS_MAX ? 0.5 : 1;
	shape.rising = shape.rising * keeps + strides.filter((stride) => stride > 0).length;
	shape.falling = shape.falling * keeps + strides.filter((stride) => stride < 0).length;
	const needed = AGREEMENT * (shape.rising + shape.falling);
	const order = shape.falling > needed ? 'newest_first' : shape.rising > needed ? 'oldest_first' : 'unknown';
	const sign = order === 'newest_first' ? -1 : 1;
	if (order !== 'unknown' && steps.some((step) => sign * step < -DISORDER_MS_MAX)) shape.isContradicted = true;
	shape.order = shape.isContradicted ? 'unknown' : order;
}
