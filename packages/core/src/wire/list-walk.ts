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
}

/** Rows read twice between pages, because rows that come or go shift the others meanwhile. */
const OVERLAP_MAX = 10;
/** Pages in a row that show nothing new before a list is taken to be at its end. */
const REPEATS_MAX = 20;
/** Rows may be out of order by so much: they overtake each other on their way into a list. */
const DISORDER_MS_MAX = 60_000;

/**
 * Walks a list from its newest end back to what is settled. A list that is ordered by nothing we know, or by nothing that
 * stays true on every page, is read whole.
 */
export function createListWalk(options: ListWalkOptions): ListWalk {
	const { shape, identityOf, isSettled, settledInARow } = options;
	const seen = new Set<string>();
	let stage: 'forward' | 'find_end' | 'tail' | 'backward' | 'done' = 'forward';
	let offset = 0;
	let pages = 0;
	let pageLength = 0;
	let settled = 0;
	/** While the end is searched: the last row known to exist, and the first offset known to be beyond the end. */
	let low = 0;
	let high: number | undefined;
	let hasSteppedBack = false;
	let repeats = 0;
	/** Read whole, because what it seemed to be ordered by did not stay true. */
	let isToTheEnd = false;
	let firstIdentity: string | undefined;
	if (shape.order === 'oldest_first' && shape.end !== undefined && shape.end > 2 * OVERLAP_MAX) beginTail(shape.end);

	function beginTail(end: number): void {
		stage = 'tail';
		offset = Math.max(0, end - OVERLAP_MAX);
		low = offset;
	}

	const overlapMost = (): number => Math.min(OVERLAP_MAX, Math.floor(pageLength / 4));
	const overlapOf = (items: readonly Item[]): number => Math.min(OVERLAP_MAX, Math.floor(items.length / 4));

	/** Rows not read in this walk before; counts how many settled ones came last, from the newest on. */
	function take(items: readonly Item[], newestLast: boolean): number {
		let fresh = 0;
		for (const item of newestLast ? [...items].reverse() : items) {
			const identity = identityOf(item);
			if (!seen.has(identity)) fresh += 1;
			seen.add(identity);
			settled = isSettled(item) ? settled + 1 : 0;
		}
		return fresh;
	}

	function forward(items: Item[]): void {
		const joins = offset === 0 || (items[0] !== undefined && seen.has(identityOf(items[0])));
		const fresh = take(items, false);
		const overlap = overlapOf(items);
		if (items.length === 0) return finish(offset);
		if (fresh === 0 && !hasSteppedBack) return repeated(items, overlap);
		repeats = 0;
		if (shape.order === 'newest_first' && !isToTheEnd && settled >= settledInARow) return void (stage = 'done');
		if (shape.order === 'oldest_first' && !isToTheEnd && offset === 0) {
			stage = 'find_end';
			low = items.length;
			offset = items.length * 2;
			settled = 0;
			return;
		}
		// Rows that went away moved others up past us, so what lies before this page is read once more.
		const steppedBack = !joins && overlap > 0 && !hasSteppedBack;
		offset = steppedBack ? Math.max(0, offset - items.length + overlap) : offset + items.length - overlap;
		hasSteppedBack = steppedBack;
	}

	/** Everything was seen before: the list ends here, or does not take an offset, or many rows came in front meanwhile. */
	function repeated(items: readonly Item[], overlap: number): void {
		repeats += 1;
		const isShort = items.length < pageLength || items.length <= OVERLAP_MAX;
		if (isShort || identityOf(items[0]!) === firstIdentity || repeats > REPEATS_MAX) return finish(offset);
		offset += items.length - overlap;
	}

	/** Doubles until a page is empty, then halves until the end lies within one page. */
	function findEnd(items: Item[]): void {
		const isBeyond = take(items, true) === 0;
		settled = 0;
		if (isBeyond) high = Math.min(high ?? offset, offset);
		else low = Math.max(low, offset + items.length);
		if (high !== undefined && high - low <= Math.max(1, pageLength)) return beginTail(low);
		offset = high === undefined ? low * 2 : low + Math.floor((high - low) / 2);
	}

	function tail(items: Item[]): void {
		const fresh = take(items, true);
		if (items.length === 0 && offset > 0 && seen.size === 0) return restart();
		if (items.length > 0 && fresh > 0) return void (offset += Math.max(1, items.length - overlapOf(items)));
		shape.end = Math.max(low, offset);
		stage = settled >= settledInARow ? 'done' : 'backward';
		offset = low;
		if (low === 0) stage = 'done';
	}

	function backward(items: Item[]): void {
		take(items, true);
		if (offset === 0 || settled >= settledInARow) stage = 'done';
	}

	/** The list is shorter than it was, or ordered otherwise than it seemed: everything is read again. */
	function restart(): void {
		seen.clear();
		shape.end = undefined;
		stage = 'forward';
		[offset, settled, repeats, hasSteppedBack, isToTheEnd] = [0, 0, 0, false, true];
	}

	function finish(end: number): void {
		shape.end = end;
		stage = 'done';
	}

	return {
		next: async () => {
			if (stage === 'done') return undefined;
			// Only a page that was read moves the walk, so that one that failed is read again.
			const next = stage === 'backward' ? Math.max(0, offset - Math.max(1, pageLength - overlapMost())) : offset;
			const items = await options.read(next);
			offset = next;
			pages += 1;
			pageLength = Math.max(pageLength, items.length);
			const before = shape.order;
			learnOrder(items, options);
			if (before !== shape.order && stage !== 'forward') restart();
			else ({ forward, find_end: findEnd, tail, backward })[stage](items);
			firstIdentity = items[0] && identityOf(items[0]);
			return items;
		},
		pages: () => pages,
	};
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
