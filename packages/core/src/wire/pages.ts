import type { Operation } from '../catalogue';
import { ExchangeError } from '../errors';
import { sleep, type Ports } from '../ports';
import { firstCursor, followPages, type PageCursor } from './page-cursor';
import { identityOf, instantOf, isItem, itemsIn, listIn, type Item } from './payload';
import { createSeenRows } from './seen-rows';

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

export interface PageReader {
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
	for (let page = 1; next && page <= PAGES_MAX; page += 1) {
		const cursor: PageCursor = next;
		const items: Item[] = rowsIn(operation, await readPage(cursor));
		const { fresh, ...first } = seen.add(items);
		yield* ordered(fresh, operation);
		next = follow(cursor, { items, ...first, fresh: fresh.length });
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
	return itemsIn(data, list?.at ?? '');
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
	const { limit: _, ...place } = cursor;
	const at = Object.entries(place).filter((entry): entry is [string, string | number] =>
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
