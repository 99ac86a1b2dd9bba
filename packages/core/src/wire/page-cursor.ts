import type { Operation } from '../catalogue';
import { instantOf, type Item } from './payload';

/** Items asked for at once. The service may answer fewer, which is not the end. */
const PAGE_SIZE = 100;
/** Rows read twice between pages by offset, because rows that come or go shift the others while we read. */
const OVERLAP_MAX = 10;

/** The paging inputs of one page. */
export type PageCursor = Readonly<Record<string, unknown>>;

/** What the paging inputs are on the first page. Inputs the operation does not have are not sent. */
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
	// Without a start the service answers the latest trades; whoever wants all of them starts at the beginning.
	if (paging === 'after_sequence')
		cursor.after_sequence = input.after_sequence ?? (limit === undefined ? 0 : undefined);
	return cursor;
}

/** What a page brought. */
export interface Page {
	items: Item[];
	/** How many of them were new. */
	fresh: number;
	/** Whether it begins with a row already seen, as pages that overlap do. */
	joins: boolean;
	/** Whether it was read to fill a hole, so that nothing new in it is no end. */
	back: boolean;
}

/** Where the page after this one begins, or nothing when this one brought nothing new. */
export function nextCursor(
	operation: Operation,
	cursor: PageCursor,
	page: Page,
): { cursor: PageCursor; back: boolean } | undefined {
	if (page.fresh === 0 && !page.back) return undefined;
	switch (operation.list!.paging) {
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
 * A later page must begin with rows already seen. If it does not, rows went away meanwhile and others moved up past us,
 * so what lies before it is read once more.
 */
function nextOffset(cursor: PageCursor, { items, joins, back }: Page): { cursor: PageCursor; back: boolean } {
	const offset = Number(cursor.offset);
	const overlap = Math.min(OVERLAP_MAX, Math.floor(items.length / 4));
	const hole = offset > 0 && overlap > 0 && !joins && !back;
	const next = hole ? Math.max(0, offset - items.length + overlap) : offset + items.length - overlap;
	return { cursor: { ...cursor, offset: next }, back: hole };
}

/** Whether `before` includes its moment is not shown. If it does, the repeated candle is dropped as already seen. */
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

/** Sequences may have holes, so the next page starts after the highest one seen. */
function further(cursor: PageCursor, items: Item[]): PageCursor | undefined {
	const highest = Math.max(...items.map((item) => Number(item.sequence)).filter(Number.isSafeInteger));
	return Number.isFinite(highest) && highest !== cursor.after_sequence
		? { ...cursor, after_sequence: highest }
		: undefined;
}
