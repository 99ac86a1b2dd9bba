import type { Item } from './payload';

/** How a list turned out to be ordered by time. It is not shown, so it is learned from what is read. */
type ListOrder = 'newest_first' | 'oldest_first' | 'unknown';

/** What is known of a list from one walk to the next. */
export interface ListShape {
	order: ListOrder;
	/** Rows it had when its end was last seen. */
	end?: number;
	/** Pairs of rows of which the later is the younger, and the other way round. */
	rising: number;
	falling: number;
	/** Times were read that contradict every order. */
	isContradicted?: boolean;
}

export const unknownShape = (): ListShape => ({ order: 'unknown', rising: 0, falling: 0 });

export interface ListWalkOptions {
	shape: ListShape;
	/** One page from an offset on; nothing beyond the end. Rejecting leaves the walk where it is. */
	read(offset: number): Promise<Item[]>;
	identityOf(item: Item): string;
	timeOf(item: Item): number | undefined;
	/** Whether a row tells nothing new. */
	isSettled(item: Item): boolean;
	/** Settled rows in a row behind which an ordered list holds nothing new. */
	settledInARow: number;
}

/** One reading of a list that keeps its place: what fails or takes long goes on where it was. */
export interface ListWalk {
	/** The next page; nothing once everything was read that may be new. */
	next(): Promise<Item[] | undefined>;
	pages(): number;
	/** Whether all of the list was read. */
	isWhole(): boolean;
}

/** Rows read twice between pages, because rows that come or go shift the others meanwhile. */
const OVERLAP_MAX = 10;
/** Pages in a row that show nothing new before a list is taken to be at its end. */
const REPEATS_MAX = 20;
/** Rows may be out of order by so much: they overtake each other on their way into a list. */
const DISORDER_MS_MAX = 60_000;

/** Where one walk stands, and what it has seen so far. */
interface Place extends ListWalkOptions {
	stage: 'forward' | 'find_end' | 'tail' | 'backward' | 'done';
	offset: number;
	pages: number;
	pageLength: number;
	/** Identities of the rows read in this walk. */
	seen: Set<string>;
	/** How many rows in a row came last that tell nothing new. */
	settled: number;
	/** Rows read in one piece from the beginning on. */
	begun: number;
	/** While the end is searched: the last row known to exist, and the first offset known to be beyond the end. */
	low: number;
	high?: number;
	hasSteppedBack: boolean;
	repeats: number;
	/** Read whole, because what it seemed to be ordered by did not stay true. */
	isToTheEnd: boolean;
	firstIdentity?: string;
	isWhole: boolean;
}

/**
 * Walks a list from its newest end back to what is settled. A list that is ordered by nothing we know, or by nothing that
 * stays true on every page, is read whole.
 */
export function createListWalk(options: ListWalkOptions): ListWalk {
	const { shape, read, identityOf } = options;
	const place = placeAtBeginning(options);
	if (shape.order === 'oldest_first' && shape.end !== undefined && shape.end > 2 * OVERLAP_MAX)
		beginTail(place, shape.end - OVERLAP_MAX);

	return {
		next: async () => {
			if (place.stage === 'done') return undefined;
			// Only a page that was read moves the walk, so that one that failed is read again.
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

/** What a page that was read does to the walk, by the stage the walk is in. */
const stages = { forward, find_end: findEnd, tail, backward };

/** Rows not read in this walk before; counts how many settled ones came last, from the newest on. */
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
	// Rows that went away moved others up past us, so what lies before this page is read once more.
	const steppedBack = !joins && overlap > 0 && !hasSteppedBack;
	place.offset = steppedBack ? Math.max(0, offset - items.length + overlap) : offset + items.length - overlap;
	place.hasSteppedBack = steppedBack;
}

/** Everything was seen before: the list ends here, or does not take an offset, or many rows came in front meanwhile. */
function repeated(place: Place, items: readonly Item[], overlap: number): void {
	place.repeats += 1;
	const isShort = items.length < place.pageLength || items.length <= OVERLAP_MAX;
	const isFirstAgain = place.identityOf(items[0]!) === place.firstIdentity;
	if (isShort || isFirstAgain || place.repeats > REPEATS_MAX) return finish(place);
	place.offset += items.length - overlap;
}

function beginFindEnd(place: Place, length: number): void {
	place.stage = 'find_end';
	place.begun = place.low = length;
	place.offset = length * 2;
	place.settled = 0;
}

/** Doubles until a page is empty, then halves until the end lies within one page. */
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

/** Less than a page before the end that is known, so that a page with nothing new in it lies behind the end. */
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

/** The list is shorter than it was, or ordered otherwise than it seemed: everything is read again. */
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

/** How much of what is read has to agree on an order. */
const AGREEMENT = 0.7;
/** Pairs of rows remembered, so that a list may come to be ordered otherwise. */
const PAIRS_MAX = 2_000;

/** Counts how rows follow each other. Neighbours far apart in the wrong order show that the list is ordered otherwise. */
function learnOrder(items: readonly Item[], { shape, timeOf }: ListWalkOptions): void {
	const times = items.flatMap((item) => timeOf(item) ?? []);
	const steps = times.slice(1).map((time, index) => time - times[index]!);
	// Neighbours overtake each other and share their moment, so rows half a page apart are compared.
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
