import type { Operation } from '../catalogue';
import { instantOf, type Item } from './payload';

/** Items requested per page. The service may return fewer, which does not mean the end. */
const PAGE_SIZE = 100;
/** Rows read twice at a page boundary, because inserted and removed rows shift the others during the read. */
const OVERLAP_MAX = 10;

/** The paging inputs of one page. */
export type PageCursor = Readonly<Record<string, unknown>>;

/** The paging inputs of the first page. Inputs the operation does not have are left out. */
export function firstCursor(
	operation: Operation,
	input: Readonly<Record<string, unknown>>,
	limit: number | undefined,
): PageCursor {
	const { paging } = operation.list!;
	const cursor: Record<string, unknown> = {};
	if ('limit' in operation.input) cursor.limit = input.limit ?? Math.min(PAGE_SIZE, limit ?? PAGE_SIZE);
	if (paging === 'offset') cursor.offset = Number(input.offset ?? 0);
	if (paging === 'before' && input.before !== undefined) cursor.before = input.before;
	// Without a start the service answers the latest trades, so a read of all trades starts at zero.
	if (paging === 'after_sequence')
		cursor.after_sequence = input.after_sequence ?? (limit === undefined ? 0 : undefined);
	return cursor;
}

/** One page and how it relates to the pages before it. */
export interface Page {
	items: Item[];
	/** How many items were not in an earlier page. */
	fresh: number;
	/** Whether the first row was seen already, as it should be when pages overlap. */
	joins: boolean;
	/** Whether the page was read again to close a gap, so that finding nothing new does not mean the end. */
	back: boolean;
	/** Whether nothing new on this page means the end of a list that is read by offset. */
	isEnd: boolean;
}

/** Pages in a row without a new item, after which the list counts as ended. */
const REPEATS_MAX = 20;

/**
 * Whether a page without a new item is the end of the list. Rows inserted in front push known ones back, so a full page
 * of them proves nothing until a second one begins alike, as where the service ignores the offset.
 */
export function endOfPages(): (page: { length: number; head: string | undefined; fresh: number }) => boolean {
	let [longest, repeats] = [0, 0];
	let before: string | undefined;
	return ({ length, head, fresh }) => {
		longest = Math.max(longest, length);
		repeats = fresh > 0 ? 0 : repeats + 1;
		const isSame = repeats > 1 && head === before;
		before = head;
		return length < longest || length <= OVERLAP_MAX || isSame || repeats > REPEATS_MAX;
	};
}

/** The cursor of the next page, or undefined behind the last one. */
export function nextCursor(
	operation: Operation,
	cursor: PageCursor,
	page: Page,
): { cursor: PageCursor; back: boolean } | undefined {
	const { paging } = operation.list!;
	if (page.fresh === 0 && !page.back && (page.isEnd || paging !== 'offset')) return undefined;
	switch (paging) {
		case 'offset':
			return nextOffset(cursor, page);
		case 'before':
			return onwards(earlier(cursor, page.items));
		case 'after_sequence':
			return onwards(further(cursor, page.items));
		case 'none':
			return undefined;
	}
}

const onwards = (cursor: PageCursor | undefined) => (cursor === undefined ? undefined : { cursor, back: false });

/**
 * A later page must begin with rows already seen. Otherwise rows were removed meanwhile and others moved up, so the
 * rows before the page are read once more.
 */
function nextOffset(cursor: PageCursor, { items, joins, back }: Page): { cursor: PageCursor; back: boolean } {
	const offset = Number(cursor.offset);
	const overlap = Math.min(OVERLAP_MAX, Math.floor(items.length / 4));
	const hole = offset > 0 && overlap > 0 && !joins && !back;
	const next = hole ? Math.max(0, offset - items.length + overlap) : offset + items.length - overlap;
	return { cursor: { ...cursor, offset: next }, back: hole };
}

/**
 * The interface does not say whether `before` is inclusive. If it is, the repeated candle is dropped as already seen.
 */
function earlier(cursor: PageCursor, items: Item[]): PageCursor | undefined {
	let oldest = Number.POSITIVE_INFINITY;
	let before: unknown;
	for (const { timestamp } of items) {
		const at = instantOf(timestamp);
		if (at === undefined || at >= oldest) continue;
		oldest = at;
		before = timestamp;
	}
	return before === undefined || before === cursor.before ? undefined : { ...cursor, before };
}

/** Sequence numbers may have gaps, so the next page starts after the highest one seen. */
function further(cursor: PageCursor, items: Item[]): PageCursor | undefined {
	const highest = Math.max(...items.map((item) => Number(item.sequence)).filter(Number.isSafeInteger));
	return Number.isFinite(highest) && highest !== cursor.after_sequence
		? { ...cursor, after_sequence: highest }
		: undefined;
}
