import { learnOrder, type ListShape } from './list-shape';
import {
	createOffsetSteps,
	createSeenRows,
	noneBehind,
	OVERLAP_MAX,
	overlapOf,
	type OffsetSteps,
	type PageFacts,
	type SeenRows,
} from './offset-steps';
import { PAGE_LENGTHS } from './page-length';
import type { Item } from './payload';

export interface ListWalkOptions<Row = Item> {
	shape: ListShape;
	/**
	 * Reads one page from an offset; an offset beyond the end returns no rows. After a rejection the walk retries the
	 * same page.
	 */
	read(offset: number): Promise<Row[]>;
	identityOf(row: Row): string;
	timeOf(row: Row): number | undefined;
	/** Whether a row needs no further processing. */
	isSettled(row: Row): boolean;
	/** The settled rows in a row that prove that the older part of an ordered list holds nothing new. */
	settledInARow: number;
	/** Reads the whole list, from its beginning, whatever is settled. */
	isToTheEnd?: boolean;
}

/** One walk over a list, which keeps its offset: after a failed or slow page it continues there. */
export interface ListWalk<Row = Item> {
	/** The next page; undefined once every row that may be new was read. */
	next(): Promise<Row[] | undefined>;
	pages(): number;
	/** Whether the whole list was read. */
	isWhole(): boolean;
}

/** The state of one walk. */
interface WalkState<Row> extends ListWalkOptions<Row> {
	/** Also where the learned order turned out to be wrong. */
	isToTheEnd: boolean;
	stage: 'forward' | 'find_end' | 'tail' | 'backward' | 'done';
	offset: number;
	pages: number;
	pageLength: number;
	/** Behind the furthest row that was read. */
	reached: number;
	/** The rows read in this walk. */
	seen: SeenRows<Row>;
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
	step: OffsetSteps;
	isWhole: boolean;
}

/**
 * Walks a list from its newest end back to the settled rows. A list without a known order, or with rows that contradict
 * the learned order, is read whole.
 */
export function createListWalk<Row = Item>(options: ListWalkOptions<Row>): ListWalk<Row> {
	const { shape, read } = options;
	const place = placeAtBeginning(options);
	const isLong = shape.end !== undefined && shape.end > 2 * OVERLAP_MAX;
	if (shape.order === 'oldest_first' && isLong && !place.isToTheEnd) beginTail(place, shape.end! - OVERLAP_MAX);

	return {
		next: async () => {
			if (place.stage === 'done') return undefined;
			// Only a page that was read moves the walk, so a failed page is read again.
			const offset = nextOffset(place);
			const items = await read(offset).catch(noneBehind(place.reached, offset));
			place.offset = offset;
			if (items.length > 0) place.reached = Math.max(place.reached, offset + items.length);
			place.pages += 1;
			place.pageLength = Math.max(place.pageLength, items.length);
			const before = shape.order;
			learnOrder(
				shape,
				items.flatMap((item) => options.timeOf(item) ?? []),
			);
			if (before !== shape.order && place.stage !== 'forward') restart(place);
			else stages[place.stage](place, items);
			return withoutSettledRest(items, place);
		},
		pages: () => place.pages,
		isWhole: () => place.isWhole,
	};
}

const placeAtBeginning = <Row>(options: ListWalkOptions<Row>): WalkState<Row> => ({
	...options,
	stage: 'forward',
	offset: 0,
	pages: 0,
	pageLength: 0,
	reached: 0,
	seen: createSeenRows(options.identityOf),
	settled: 0,
	begun: 0,
	low: 0,
	step: createOffsetSteps(),
	isToTheEnd: options.isToTheEnd ?? false,
	isWhole: false,
});

const nextOffset = ({ stage, offset, pageLength }: WalkState<unknown>): number =>
	stage === 'backward' ? Math.max(0, offset - Math.max(1, pageLength - overlapOf(pageLength))) : offset;

/** How a page changes the walk, by the stage of the walk. */
const stages = { forward, find_end: findEnd, tail, backward };

/** Says what a page holds that was not seen in this walk, and counts how many settled rows came last, from the newest. */
function noteRows<Row>(place: WalkState<Row>, items: readonly Row[], newestLast: boolean): PageFacts<Row> {
	for (const item of newestLast ? [...items].reverse() : items) {
		place.settled = place.isSettled(item) ? place.settled + 1 : 0;
	}
	return place.seen.add(items);
}

/** Whether the older part of an ordered list holds nothing new. */
const isSettledEnough = ({ settled, settledInARow }: WalkState<unknown>): boolean => settled >= settledInARow;

/**
 * A service that pages nothing answers the whole list each time. Rows beyond the page that was asked for are left out
 * once enough settled ones came in a row, as if they were on a page that is not read.
 */
function withoutSettledRest<Row>(items: Row[], { shape, isToTheEnd, isSettled, settledInARow }: WalkState<Row>): Row[] {
	if (items.length <= PAGE_LENGTHS[0] || shape.order === 'unknown' || isToTheEnd) return items;
	const newestFirst = shape.order === 'newest_first' ? items : items.toReversed();
	let settled = 0;
	const end = newestFirst.findIndex((item, index) => {
		settled = isSettled(item) ? settled + 1 : 0;
		return index >= PAGE_LENGTHS[0] && settled >= settledInARow;
	});
	return end < 0 ? items : newestFirst.slice(0, end);
}

function forward<Row>(place: WalkState<Row>, items: Row[]): void {
	const { shape, offset, isToTheEnd } = place;
	const { fresh, ...first } = noteRows(place, items, false);
	const next = place.step({ offset, length: items.length, ...first, fresh: fresh.length });
	if (next === undefined) return finish(place);
	const isOn = next > offset;
	if (shape.order === 'newest_first' && !isToTheEnd && isOn && isSettledEnough(place))
		return void (place.stage = 'done');
	if (shape.order === 'oldest_first' && !isToTheEnd && offset === 0) return beginFindEnd(place, items.length);
	place.offset = next;
}

function beginFindEnd<Row>(place: WalkState<Row>, length: number): void {
	place.stage = 'find_end';
	place.begun = place.low = length;
	place.offset = length * 2;
	place.settled = 0;
}

/** Doubles the offset until a page is empty, then bisects until the end lies within one page. */
function findEnd<Row>(place: WalkState<Row>, items: Row[]): void {
	const { offset } = place;
	const isBeyond = noteRows(place, items, true).fresh.length === 0;
	place.settled = 0;
	if (isBeyond) place.high = Math.min(place.high ?? offset, offset);
	else place.low = Math.max(place.low, offset + items.length);
	const { low, high } = place;
	if (high !== undefined && high - low <= Math.max(1, place.pageLength))
		return beginTail(place, low - overlapOf(place.pageLength));
	place.offset = high === undefined ? low * 2 : low + Math.floor((high - low) / 2);
}

/** Starts less than a page before the known end, so that a page without new rows is the one behind the end. */
function beginTail<Row>(place: WalkState<Row>, offset: number): void {
	place.stage = 'tail';
	place.offset = Math.max(0, offset);
	place.low = place.offset;
}

function tail<Row>(place: WalkState<Row>, items: Row[]): void {
	const { offset, low } = place;
	const { fresh } = noteRows(place, items, true);
	if (items.length === 0 && offset > 0 && place.seen.names().size === 0) return restart(place);
	if (items.length > 0 && fresh.length > 0)
		return void (place.offset = offset + Math.max(1, items.length - overlapOf(items.length)));
	place.shape.end = Math.max(low, offset);
	place.stage = low <= place.begun || isSettledEnough(place) ? 'done' : 'backward';
	place.offset = low;
}

function backward<Row>(place: WalkState<Row>, items: Row[]): void {
	noteRows(place, items, true);
	if (place.offset === 0 || isSettledEnough(place)) place.stage = 'done';
}

/** The list got shorter or its order was misjudged: read everything again. */
function restart<Row>(place: WalkState<Row>): void {
	place.seen = createSeenRows(place.identityOf);
	place.shape.end = undefined;
	place.stage = 'forward';
	Object.assign(place, { offset: 0, reached: 0, settled: 0, step: createOffsetSteps(), isToTheEnd: true });
}

function finish<Row>(place: WalkState<Row>): void {
	place.shape.end = place.offset;
	place.stage = 'done';
	place.isWhole = true;
}
