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
	const walk = walkFromBeginning(options);
	const isLong = shape.end !== undefined && shape.end > 2 * OVERLAP_MAX;
	if (shape.order === 'oldest_first' && isLong && !walk.isToTheEnd) beginTail(walk, shape.end! - OVERLAP_MAX);

	return {
		next: async () => {
			if (walk.stage === 'done') return undefined;
			// Only a page that was read moves the walk, so a failed page is read again.
			const offset = nextOffset(walk);
			const items = await read(offset).catch(noneBehind(walk.reached, offset));
			walk.offset = offset;
			if (items.length > 0) walk.reached = Math.max(walk.reached, offset + items.length);
			walk.pages += 1;
			walk.pageLength = Math.max(walk.pageLength, items.length);
			const before = shape.order;
			learnOrder(
				shape,
				items.flatMap((item) => options.timeOf(item) ?? []),
			);
			if (before !== shape.order && walk.stage !== 'forward') restart(walk);
			else stages[walk.stage](walk, items);
			return withoutSettledRest(items, walk);
		},
		pages: () => walk.pages,
		isWhole: () => walk.isWhole,
	};
}

const walkFromBeginning = <Row>(options: ListWalkOptions<Row>): WalkState<Row> => ({
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
function noteRows<Row>(walk: WalkState<Row>, items: readonly Row[], newestLast: boolean): PageFacts<Row> {
	for (const item of newestLast ? [...items].reverse() : items) {
		walk.settled = walk.isSettled(item) ? walk.settled + 1 : 0;
	}
	return walk.seen.add(items);
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

function forward<Row>(walk: WalkState<Row>, items: Row[]): void {
	const { shape, offset, isToTheEnd } = walk;
	const { fresh, ...first } = noteRows(walk, items, false);
	const next = walk.step({ offset, length: items.length, ...first, fresh: fresh.length });
	if (next === undefined) return finish(walk);
	const isOn = next > offset;
	if (shape.order === 'newest_first' && !isToTheEnd && isOn && isSettledEnough(walk)) return void (walk.stage = 'done');
	if (shape.order === 'oldest_first' && !isToTheEnd && offset === 0) return beginFindEnd(walk, items.length);
	walk.offset = next;
}

function beginFindEnd<Row>(walk: WalkState<Row>, length: number): void {
	walk.stage = 'find_end';
	walk.begun = walk.low = length;
	walk.offset = length * 2;
	walk.settled = 0;
}

/** Doubles the offset until a page is empty, then bisects until the end lies within one page. */
function findEnd<Row>(walk: WalkState<Row>, items: Row[]): void {
	const { offset } = walk;
	const isBeyond = noteRows(walk, items, true).fresh.length === 0;
	walk.settled = 0;
	if (isBeyond) walk.high = Math.min(walk.high ?? offset, offset);
	else walk.low = Math.max(walk.low, offset + items.length);
	const { low, high } = walk;
	if (high !== undefined && high - low <= Math.max(1, walk.pageLength))
		return beginTail(walk, low - overlapOf(walk.pageLength));
	walk.offset = high === undefined ? low * 2 : low + Math.floor((high - low) / 2);
}

/** Starts less than a page before the known end, so that a page without new rows is the one behind the end. */
function beginTail<Row>(walk: WalkState<Row>, offset: number): void {
	walk.stage = 'tail';
	walk.offset = Math.max(0, offset);
	walk.low = walk.offset;
}

function tail<Row>(walk: WalkState<Row>, items: Row[]): void {
	const { offset, low } = walk;
	const { fresh } = noteRows(walk, items, true);
	if (items.length === 0 && offset > 0 && walk.seen.names().size === 0) return restart(walk);
	if (items.length > 0 && fresh.length > 0)
		return void (walk.offset = offset + Math.max(1, items.length - overlapOf(items.length)));
	walk.shape.end = Math.max(low, offset);
	walk.stage = low <= walk.begun || isSettledEnough(walk) ? 'done' : 'backward';
	walk.offset = low;
}

function backward<Row>(walk: WalkState<Row>, items: Row[]): void {
	noteRows(walk, items, true);
	if (walk.offset === 0 || isSettledEnough(walk)) walk.stage = 'done';
}

/** The list got shorter or its order was misjudged: read everything again. */
function restart<Row>(walk: WalkState<Row>): void {
	walk.seen = createSeenRows(walk.identityOf);
	walk.shape.end = undefined;
	walk.stage = 'forward';
	Object.assign(walk, { offset: 0, reached: 0, settled: 0, step: createOffsetSteps(), isToTheEnd: true });
}

function finish<Row>(walk: WalkState<Row>): void {
	walk.shape.end = walk.offset;
	walk.stage = 'done';
	walk.isWhole = true;
}
