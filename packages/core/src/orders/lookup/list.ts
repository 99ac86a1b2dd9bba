import { finality, operationOf } from '../../catalogue';
import type { Read } from '../../context';
import { ExchangeError, isExchangeError } from '../../errors';
import { sleep, type Ports } from '../../ports';
import { learnOrder, unknownShape } from '../../wire/list-shape';
import { eachItem } from '../../wire/pages';
import { instantOf, isItem, itemsIn, orderIdOf, textOf, type Item } from '../../wire/payload';
import { createSeenRows } from '../../wire/seen-rows';
import type { ListFacts, Party, Readings, Seen } from './readings';

/** Rows read to find a recent order, when the list is sorted newest first. */
const NEWEST_ROWS = 1_000;
/** Rows read at most; finding nothing among them proves nothing about the rest. */
const ROWS_MAX = 10_000;
/** How often the start of the list is read again when new orders arrive during the read. */
const ROUNDS_MAX = 5;
/**
 * How often one read requests a failed page again, and the longest wait before that; after these the read has failed.
 */
const RETRIES_MAX = 5;
const RETRY_MS = { min: 500, max: 10_000 };

export type Filter = Readonly<Record<string, unknown>>;

interface Wanted {
	matches: (order: Item) => boolean;
	/** Reads the whole list, however long; otherwise its newest rows, when the list is sorted newest first. */
	isThorough: boolean;
	filter: Filter;
}

/** Access to the order list for lookups. */
export interface OrderList {
	/**
	 * Reads until an order is found or the list ends. Throws if a page cannot be read: a failed read is not "not
	 * found".
	 */
	look(wanted: Wanted, signal?: AbortSignal): Promise<Seen>;
}

interface Source {
	read: Read;
	ports: Pick<Ports, 'clock'>;
	/** Address, key and filter that identify the list, so that only equal lists share a read. */
	name: readonly string[];
	readings: Readings;
}

const list = operationOf('order.list');

/** Concurrent lookups share one read of the list. */
export const createOrderList = (source: Source): OrderList => ({
	look: ({ matches, isThorough, filter }, signal) =>
		source.readings.join(
			JSON.stringify([source.name, isThorough, filter]),
			{ matches, signal, stopped },
			{ read: (party) => walk(party, { isThorough, filter }, source), clock: source.ports.clock },
		),
});

const stopped = (): ExchangeError =>
	new ExchangeError('aborted', { operation: list.label, what: 'The call was stopped' });

async function walk(
	party: Party,
	{ isThorough, filter }: Pick<Wanted, 'isThorough' | 'filter'>,
	{ read, ports }: Source,
): Promise<ListFacts> {
	const watched = watchList(filter);
	const retries = { left: RETRIES_MAX };
	const readPage = async (cursor: Filter): Promise<unknown> => {
		const data = await readWithRetries(
			() => read('order.list', { ...filter, ...cursor }, { signal: party.signal }),
			watched.rows() > 0 ? retries : { left: 0 },
			{ ports, signal: party.signal },
		);
		assertShowsList(data);
		const items = itemsIn(data, list.list!.at);
		watched.page(data, items, Number(cursor.offset ?? 0));
		party.see(items);
		return data;
	};
	const pages = () => eachItem(list, filter, { ports, readPage, signal: party.signal });
	const isRecent = (): boolean => !isThorough && watched.rows() >= NEWEST_ROWS && watched.isNewestFirst();
	const ends = (): boolean => party.isOver() || isRecent() || watched.rows() >= ROWS_MAX;
	const items = pages();
	while (!ends() && !(await items.next()).done);
	for (let round = 1; isThorough && round <= ROUNDS_MAX && watched.hasGrown() && !ends(); round += 1) {
		// Orders that arrived at the front during the read are read as well, until a page overlaps the known rows.
		const joins = watched.fromFront();
		const front = pages();
		while (!(await front.next()).done && !ends() && !joins());
	}
	return { gap: isRecent() ? undefined : watched.gap(), rows: watched.rows(), ...watched.statuses() };
}

/** An answer without a single field shows no list, not an empty one. */
export function assertShowsList(data: unknown): void {
	if (!isItem(data) || Object.keys(data).length > 0) return;
	throw new ExchangeError('malformed_response', { operation: list.label, what: 'The answer shows no list' });
}

/** Requests a page in the middle of a read again, so that one failure does not discard the pages before it. */
async function readWithRetries(
	readPage: () => Promise<unknown>,
	retries: { left: number },
	{ ports, signal }: { ports: Pick<Ports, 'clock'>; signal: AbortSignal },
): Promise<unknown> {
	for (;;) {
		try {
			return await readPage();
		} catch (error) {
			if (!isExchangeError(error) || !error.retryable || signal.aborted || retries.left <= 0) throw error;
			const delayMs = Math.max(RETRY_MS.min, error.retryAfterMs ?? 0);
			if (delayMs > RETRY_MS.max) throw error;
			retries.left -= 1;
			await sleep(ports.clock, delayMs, signal);
		}
	}
}

const nameOf = (item: Item): string => orderIdOf(item) ?? JSON.stringify(item);

/** Detects from the pages of a list what that list does not show. */
function watchList({ status: wanted }: Filter) {
	const seen = createSeenRows(nameOf);
	const shape = unknownShape();
	let top: string | undefined;
	let [rows, repeats, joins, showsFinal, isUnfiltered] = [0, false, false, false, false];
	let before: ReadonlySet<string> = new Set();
	/** The total the list reported: on the latest read of its first page, and on the latest page read. */
	const counted = { atTop: 0, last: 0 };
	const count = (): number => Math.max(counted.atTop, counted.last);
	const see = (item: Item): void => {
		rows += 1;
		const status = textOf(item, 'status');
		showsFinal ||= status !== undefined && finality(status) === 'final';
		isUnfiltered ||= wanted !== undefined && status !== undefined && status !== wanted;
	};
	return {
		page: (data: unknown, items: readonly Item[], offset: number): void => {
			const count = isItem(data) && typeof data.count === 'number' ? data.count : 0;
			if (offset === 0) counted.atTop = count;
			if (items.length > 0) counted.last = count;
			const head = items[0] && orderIdOf(items[0]);
			// A later page with the first row of the first page shows that the service ignores the offset.
			repeats ||= offset > 0 && head !== undefined && head === top;
			if (offset === 0) top = head;
			joins ||= items.some((item) => before.has(nameOf(item)));
			seen.add(items);
			learnOrder(
				shape,
				items.flatMap((item) => instantOf(item.created_at) ?? []),
			);
			items.forEach(see);
		},
		rows: (): number => rows,
		/**
		 * Starts reading from the front again; the returned function says whether the latest page has reached the known
		 * rows.
		 */
		fromFront: (): (() => boolean) => {
			before = new Set(seen.names());
			joins = false;
			return () => joins;
		},
		isNewestFirst: (): boolean => shape.order === 'newest_first',
		statuses: () => ({ showsFinal, isUnfiltered }),
		hasGrown: (): boolean => !repeats && count() > seen.names().size,
		gap: (): string | undefined => {
			if (rows >= ROWS_MAX) return `the order list is longer than ${ROWS_MAX} rows`;
			if (count() > seen.names().size) return `the list counts ${count()} orders and shows ${seen.names().size}`;
			return repeats ? 'the list does not go on to a second page' : undefined;
		},
	};
}
