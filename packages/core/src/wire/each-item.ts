import type { Operation } from '../catalogue';
import { ExchangeError } from '../errors';
import { sleep, type Ports } from '../ports';
import { createOffsetSteps, createSeenRows, noneBehind } from './offset-steps';
import { identityOf, instantOf, isItem, itemsIn, listIn, type Item } from './payload';
import { summaryIn } from './records';

/** Pages one iteration may read before it throws. */
const PAGES_MAX = 1_000;
/** Pages read at full speed; a longer iteration pauses after each page, to leave request rate to others. */
const PAGES_UNPAUSED = 10;
const PAUSE_MS = 100;
/**
 * Rows one iteration may read. All their identities are kept, because a service that pages nothing shows the same rows
 * on every page, and what was forgotten would be handed over again without end.
 */
const ROWS_MAX = 500_000;

interface PageReader {
	ports: Pick<Ports, 'clock'>;
	readPage: (cursor: PageCursor) => Promise<unknown>;
	/** The total number of items wanted, which also bounds the page size. */
	limit?: number;
	signal?: AbortSignal;
}

/**
 * Every item of a list once, page after page, until nothing new comes. The service may return fewer rows than
 * asked for, so a short page proves nothing, and no count says how much is left. (Interface, part 8.)
 */
export async function* eachItem(
	operation: Operation,
	input: Readonly<Record<string, unknown>>,
	{ ports, readPage, limit, signal }: PageReader,
): AsyncGenerator<Item> {
	if (!operation.list) throw noList(operation);
	const seen = createSeenRows((item) => identityOf(item, operation));
	const follow = followPages(operation);
	let next: PageCursor | undefined = firstCursor(operation, input, limit);
	let begin: string | undefined;
	let reached = Number.POSITIVE_INFINITY;
	for (let page = 1; next && page <= PAGES_MAX; page += 1) {
		const cursor: PageCursor = next;
		const offset = Number(cursor.offset);
		const data: unknown = await readPage(cursor).catch(noneBehind(reached, offset));
		const items: Item[] = rowsIn(operation, data);
		reached = offset + items.length;
		const { fresh, ...first } = seen.add(items);
		if (page === 1) begin = first.head;
		// One by one, because `yield*` makes two promises more of each row.
		for (const item of ordered(fresh, operation)) yield item;
		next = follow(cursor, { items, ...first, fresh: fresh.length });
		if (!next && items.length > 0 && first.head === begin && summaryIn(data).hasMore) throw standsStill(operation);
		if (next && seen.names().size > ROWS_MAX) break;
		if (next && page > PAGES_UNPAUSED) await sleep(ports.clock, PAUSE_MS, signal);
	}
	if (next) throw tooLong(operation, next);
}

/**
 * The rows of a page. An answer in which no list is found is no empty page, which would look like the end of the list;
 * but one without any field has left an empty list out.
 */
export function rowsIn({ label, list }: Operation, data: unknown): Item[] {
	const fields = isItem(data) ? Object.keys(data) : [];
	if (list && fields.length > 0 && listIn(data, list.at) === undefined) throw unseenList(label, fields);
	return itemsIn(data, list?.at);
}

/** Field names that an error shows, and characters of each. */
const FIELDS_SHOWN_MAX = 10;
const FIELD_LENGTH_MAX = 40;

const unseenList = (operation: string, fields: readonly string[]): ExchangeError =>
	new ExchangeError('malformed_response', {
		operation,
		what: `No list was found in the answer, which has the fields ${fields
			.slice(0, FIELDS_SHOWN_MAX)
			.map((name) => name.slice(0, FIELD_LENGTH_MAX))
			.join(', ')}`,
		advice: 'Ask the operator of the service in which of them the list is, and tell the makers of this client',
	});

/**
 * Candles are returned newest first whatever order the service uses, because each page is older than the one before.
 */
function ordered(items: Item[], operation: Operation): Item[] {
	if (operation.list!.paging !== 'before') return items;
	const dated = items.map((item) => ({ item, at: instantOf(item.timestamp) ?? 0 }));
	return dated.sort((a, b) => b.at - a.at).map(({ item }) => item);
}

const noList = ({ label: operation }: Operation): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation,
		what: 'It is not a list, so it has no items to walk through',
		advice: 'Call it by its own method',
	});

/** The error of a read that is too long; it names the cursor to continue from. */
function tooLong(operation: Operation, cursor: PageCursor): ExchangeError {
	const { limit: _, ...from } = cursor;
	const at = Object.entries(from).filter((entry): entry is [string, string | number] =>
		['string', 'number'].includes(typeof entry[1]),
	);
	const named = at.map(([name, value]) => `${name} = ${value}`).join(', ');
	return new ExchangeError('limit_reached', {
		operation: operation.label,
		what: `The list did not end within ${PAGES_MAX} pages or ${ROWS_MAX} rows, the most one run reads`,
		advice: `Narrow the request, or go on in a next run from ${named}`,
		details: Object.fromEntries(at),
	});
}

/** A list that ends at its first page and says that more follows is paged in a way that is not documented. */
const standsStill = ({ label: operation }: Operation): ExchangeError =>
	new ExchangeError('limit_reached', {
		operation,
		what: 'The list says that more follows, and shows its first page alone',
		advice: 'Take a limit that its first page holds, or ask the operator of the service how it pages this list',
	});

/** Items requested per page. The service may return fewer, which does not mean the end. */
const PAGE_SIZE = 100;

/** The paging inputs of one page. */
type PageCursor = Readonly<Record<string, unknown>>;

/** The paging inputs of the first page. Inputs the operation does not have are left out. */
function firstCursor(
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
interface Page {
	items: Item[];
	/** How many items were not in an earlier page. */
	fresh: number;
	/** Identity of the first row, and whether it was seen already, as it should be when pages overlap. */
	head: string | undefined;
	joins: boolean;
}

/** Returns the cursor of the page after one, or undefined behind the last one. */
function followPages({ list }: Operation): (cursor: PageCursor, page: Page) => PageCursor | undefined {
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
		const number = wholeSequence(sequence);
		if (number === undefined) throw strangeSequence(sequence);
		if (highest === undefined || number > highest) highest = number;
	}
	if (highest === undefined || highest === wholeSequence(cursor.after_sequence)) return undefined;
	const isExact = highest <= BigInt(Number.MAX_SAFE_INTEGER);
	return { ...cursor, after_sequence: isExact ? Number(highest) : String(highest) };
}

/** A longer text is no number that pages are counted by, because arithmetic with it would take too long. */
const WHOLE_DIGITS_MAX = 40;

/** A whole number as it was written: `parseExactly` keeps one as text that a double would bend. Undefined for the rest. */
function wholeSequence(value: unknown): bigint | undefined {
	if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? BigInt(value) : undefined;
	if (typeof value !== 'string') return undefined;
	return value.length <= WHOLE_DIGITS_MAX && /^\d+$/.test(value) ? BigInt(value) : undefined;
}

/** A list that stopped here without an error would look complete. */
const strangeSequence = (sequence: unknown): ExchangeError =>
	new ExchangeError('malformed_response', {
		what: `The list cannot be read on, because a row has the sequence ${JSON.stringify(sequence)?.slice(0, 40)}, which is no whole number`,
		advice: 'Ask the operator of the service; what was read up to there was handed over',
	});
