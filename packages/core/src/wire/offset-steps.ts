import { isExchangeError, type ErrorCode } from '../errors';
import type { Item } from './payload';

/** What a page read by offset showed. */
interface OffsetPage {
	offset: number;
	/** The number of rows. */
	length: number;
	/** Identity of the first row, if there is one. */
	head: string | undefined;
	/** Whether an earlier page held that row. */
	joins: boolean;
	/** How many of the rows no earlier page held. */
	fresh: number;
}

/** Returns the offset at which a list is read on after a page, or undefined if the page was its end. */
export type OffsetSteps = (page: OffsetPage) => number | undefined;

/** Rows read twice at a page boundary, because inserted and removed rows shift the others during the read. */
export const OVERLAP_MAX = 10;
/** Pages in a row without a new row, after which the list counts as ended. */
const REPEATS_MAX = 20;

export const overlapOf = (length: number): number => Math.min(OVERLAP_MAX, Math.floor(length / 4));

/**
 * Follows a list by offset while rows are inserted and removed. A page that does not begin within the overlap means
 * removed rows, a full page of known rows means inserted ones, or a service that ignores the offset.
 */
export function createOffsetSteps(): OffsetSteps {
	let begin: number | undefined;
	let longest = 0;
	/** Rows of the next page that should be known, because the page before ended with them. */
	let overlap = 0;
	/** Pages by which the latest step went back; zero once a page has the overlap. */
	let back = 0;
	/** No new row was read since that step, so another page without the overlap lies behind the end. */
	let isBackInVain = false;
	let repeats = 0;
	let headBefore: string | undefined;
	/** Where to continue once the first page was read again. */
	let continueAt: number | undefined;

	function continueAfter({ offset, length, head, fresh }: OffsetPage): number | undefined {
		// A page that ends within the overlap need not be the last one: pages may differ in length.
		const isCut = length > 0 && length < overlap;
		const isSame = head === headBefore;
		const isRepeat = fresh === 0 && back === 0;
		// After a step too far back, as many pages may hold known rows alone.
		repeats = isRepeat ? repeats + 1 : -back;
		[headBefore, back, overlap] = [head, 0, overlapOf(length)];
		if (length === 0 || (isRepeat && ((length < longest && !isCut) || repeats > REPEATS_MAX))) return undefined;
		const next = offset + length - overlap;
		if (!isRepeat || !isSame) return next;
		continueAt = next;
		return begin;
	}

	/** Removed rows let others move up past an offset: steps back, each time twice as far, to read those between. */
	function stepBack(offset: number): number {
		back = Math.max(1, back * 2);
		isBackInVain = true;
		return Math.max(begin!, offset - back * (longest - overlapOf(longest)));
	}

	/** If the first page begins like the page that repeated another one, the service ignores the offset. */
	function afterFirstPage(head: string | undefined): number | undefined {
		const next = head === headBefore ? undefined : continueAt;
		continueAt = undefined;
		return next;
	}

	return (page) => {
		const { offset, joins, fresh } = page;
		begin ??= offset;
		longest = Math.max(longest, page.length);
		isBackInVain &&= fresh === 0;
		if (continueAt !== undefined) return afterFirstPage(page.head);
		const isHole = !joins && overlap > 0 && offset > begin;
		return isHole && (back > 0 || !isBackInVain) ? stepBack(offset) : continueAfter(page);
	};
}

/** What a page shows beside the pages before it. */
export interface PageFacts<Row = Item> {
	/** Identity of the first row, if there is one. */
	head: string | undefined;
	/** Whether an earlier page held the first row, as it should where pages overlap. */
	joins: boolean;
	/** The rows that no earlier page held, each once. */
	fresh: Row[];
}

/** The rows that were read of one list. */
export interface SeenRows<Row = Item> {
	/** Adds the rows of a page, and says what is new in it. */
	add(items: readonly Row[]): PageFacts<Row>;
	/** The identities of all rows. */
	names(): ReadonlySet<string>;
}

/** Forgets nothing, so the caller has to limit the rows. */
export function createSeenRows<Row = Item>(identityOf: (item: Row) => string): SeenRows<Row> {
	const seen = new Set<string>();
	const isFresh = (item: Row): boolean => {
		const identity = identityOf(item);
		if (seen.has(identity)) return false;
		seen.add(identity);
		return true;
	};
	return {
		add: (items) => {
			const head = items[0] && identityOf(items[0]);
			const joins = head !== undefined && seen.has(head);
			return { head, joins, fresh: items.filter(isFresh) };
		},
		names: () => seen,
	};
}

/**
 * No rows, for a page behind the last row that a service does not find, where others show an empty one. A page that is not
 * found among the rows up to `reached` is no end of the list. Nor is a refusal, which may be for too large an offset, unless
 * so few rows came that no page is full.
 */
export const noneBehind =
	(reached: number, offset: number) =>
	(error: unknown): [] => {
		const isFew = reached > 0 && overlapOf(reached) === 0;
		const codes: ErrorCode[] = isFew ? ['not_found', 'refused'] : ['not_found'];
		if (offset > 0 && offset >= reached && codes.some((code) => isExchangeError(error, code))) return [];
		throw error;
	};
