import type { Operation } from '../catalogue';
import { ExchangeError } from '../errors';
import { createOffsetSteps } from './offset-steps';
import { instantOf, type Item } from './payload';

/** Items requested per page. The service may return fewer, which does not mean the end. */
const PAGE_SIZE = 100;

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
	/** Identity of the first row, and whether it was seen already, as it should be when pages overlap. */
	head: string | undefined;
	joins: boolean;
}

/** Returns the cursor of the page after one, or undefined behind the last one. */
export function followPages({ list }: Operation): (cursor: PageCursor, page: Page) => PageCursor | undefined {
	const step = createOffsetSteps();
	return (cursor, { items, ...page }) => {
		if (list!.paging === 'offset') {
			const offset = step({ ...page, offset: Number(cursor.offset), length: items.length });
			return offset === undefined ? undefined : { ...cursor, offset };
		}
		if (page.fresh === 0 || list!.paging === 'none') return undefined;
		return list!.paging === 'before' ? earlier(cursor, items) : further(cursor, items);
	};
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

/**
 * Sequence numbers may have gaps, so the next page starts after the highest one seen. They are whole numbers without a
 * bound, so they are compared exactly, and sent as they were written beyond what a number holds.
 */
function further(cursor: PageCursor, items: Item[]): PageCursor | undefined {
	let highest: bigint | undefined;
	for (const { sequence } of items) {
		if (sequence === undefined || sequence === null) continue;
		const number = wholeNumber(sequence);
		if (number === undefined) throw strangeSequence(sequence);
		if (highest === undefined || number > highest) highest = number;
	}
	if (highest === undefined || highest === wholeNumber(cursor.after_sequence)) return undefined;
	const isExact = highest <= BigInt(Number.MAX_SAFE_INTEGER);
	return { ...cursor, after_sequence: isExact ? Number(highest) : String(highest) };
}

const WHOLE_DIGITS_MAX = 40;

/** A whole number as it was written: `parseExactly` keeps one as text that a double would bend. Undefined for the rest. */
function wholeNumber(value: unknown): bigint | undefined {
	if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? BigInt(value) : undefined;
	if (typeof value !== 'string') return undefined;
	return value.length <= WHOLE_DIGITS_MAX && /^\d+$/.test(value) ? BigInt(value) : undefined;
}

/** To end the list here would look like its end. */
const strangeSequence = (sequence: unknown): ExchangeError =>
	new ExchangeError('malformed_response', {
		what: `The list cannot be read on, because a row has the sequence ${JSON.stringify(sequence)?.slice(0, 40)}, which is no whole number`,
		advice: 'Ask the operator of the service; what was read up to there was handed over',
	});
