import { orderStatuses } from '../../catalogue';
import { unknownShape, type ListShape } from '../../wire/list-shape';
import { isSettled, KNOWN_ORDERS_MAX, see, type KnownOrders } from './known-orders';
import { openReading, readOrderPage, type ListReading, type PageSource } from './list-reading';
import { isRefused } from './lookup';
import type { Party } from './readings';

/** Orders of a list in no order by time that are read at most, because each search reads all of them. */
export const UNSORTED_ROWS_MAX = 10_000;
/** The longest time that one look reads pages; the next one continues there. */
export const LOOK_MS_MAX = 60_000;
/** How often the start of the list is read again when new orders arrive during the read. */
const ROUNDS_MAX = 5;

/** What is remembered of the order list of one account. */
export interface ListMemory {
	known: KnownOrders;
	/** By status, because each of these lists may have another order. */
	shapes: Map<string, ListShape>;
	/** A search of the whole list that was left before its end. */
	begun?: Search;
}

/** A search through the order list, and where it may hide orders that are over, through the list of each status. */
export interface Search {
	beganAt: number;
	/** Orders of an earlier time need no reading; undefined reads all of them. */
	settledBefore?: number;
	/** By status. */
	readings: Map<string, ListReading>;
	/** How the look that is on it reads pages. */
	source: PageSource;
}

/** `gap`: what was not read. `isOpen`: the next look continues this search. `isContradicted`: an order is missing. */
export interface SearchEnd {
	gap?: string;
	isOpen?: boolean;
	isContradicted?: boolean;
}

export interface Searching {
	memory: ListMemory;
	party: Party;
	/** When this look ends. */
	until: number;
}

/** Reads on until every order was shown that is not settled, or nobody waits any longer. */
export async function searchOn(search: Search, searching: Searching): Promise<SearchEnd> {
	const { memory, party } = searching;
	const plain = await readList(search, {}, searching);
	memory.known.showsFinal ||= plain.reading.showsFinal();
	if (isOver(plain, party) || memory.known.showsFinal) return plain.end;
	// A list without a single final order may hide them, so each status is asked for by name. An order that goes on to
	// another status meanwhile goes to one that is read later.
	for (const status of Object.keys(orderStatuses)) {
		const one = await readList(search, { status }, searching).catch(refusedFilter);
		// Open orders in this answer show that the service ignores the filter, so it proves nothing about final orders.
		if ((!one || one.reading.isUnfiltered()) && plain.reading.rows() > 0)
			return { gap: 'the list shows open orders and does not filter by status' };
		if (one && isOver(one, party)) return one.end;
	}
	return {};
}

interface ListEnd {
	reading: ListReading;
	end: SearchEnd;
}

const isOver = ({ end }: ListEnd, party: Party): boolean =>
	end.gap !== undefined || end.isContradicted === true || party.isOver();

/** A refused filter proves nothing about the orders it would have shown. */
function refusedFilter(error: unknown): undefined {
	if (!isRefused(error)) throw error;
}

async function readList(search: Search, filter: { status?: string }, searching: Searching): Promise<ListEnd> {
	const { memory, party } = searching;
	const name = filter.status ?? '';
	const reading = search.readings.get(name) ?? begin(search, filter, searching);
	search.readings.set(name, reading);
	const isSorted = (): boolean => memory.shapes.get(name)!.order !== 'unknown';
	let end = await readOn(search, reading, isSorted, searching);
	/** What was not read whole is compared with all that is known, unless it shows one status alone. */
	const shown = (): number => (reading.isWhole() ? reading.rows() : memory.known.rows);
	const hasGrown = (): boolean => !reading.repeats() && (reading.isWhole() || name === '') && reading.count() > shown();
	for (let round = 1; round <= ROUNDS_MAX && hasGrown() && !end.gap && !party.isOver(); round += 1) {
		// Orders that arrived at the front during the read are read as well, until a page overlaps the known ones.
		const joins = reading.fromFront();
		end = await readOn(search, reading, isSorted, searching, joins);
	}
	if (end.gap || party.isOver()) return { reading, end };
	if (hasGrown() && !reading.isWhole()) return { reading, end: { isContradicted: true } };
	if (hasGrown()) return { reading, end: { gap: `the list counts ${reading.count()} orders and shows ${shown()}` } };
	return { reading, end: reading.repeats() ? { gap: 'the list does not go on to a second page' } : {} };
}

function begin(search: Search, filter: { status?: string }, { memory }: Searching): ListReading {
	const { known, shapes } = memory;
	const { settledBefore } = search;
	const name = filter.status ?? '';
	const shape = shapes.get(name) ?? unknownShape();
	shapes.set(name, shape);
	return openReading({
		...{ filter, shape },
		page: (query) => readOrderPage(search.source, query),
		isSettled: (order) => isSettled(known, settledBefore, order),
		isToTheEnd: settledBefore === undefined,
	});
}

async function readOn(
	{ source: { clock } }: Search,
	reading: ListReading,
	isSorted: () => boolean,
	{ memory: { known }, party, until }: Searching,
	joins = (): boolean => false,
): Promise<SearchEnd> {
	for (;;) {
		if (known.rows >= KNOWN_ORDERS_MAX)
			return { gap: `the order list is longer than ${KNOWN_ORDERS_MAX} rows`, isOpen: true };
		if (reading.rows() >= UNSORTED_ROWS_MAX && !isSorted())
			return { gap: `the order list is longer than ${UNSORTED_ROWS_MAX} rows and not sorted by time` };
		if (clock.elapsed() >= until) return { gap: unfinished(known, reading), isOpen: true };
		const orders = await reading.next();
		if (!orders) return {};
		see(known, orders);
		party.see(orders);
		if (joins() || party.isOver()) return {};
	}
}

const unfinished = ({ rows }: KnownOrders, reading: ListReading): string =>
	`${rows}${reading.count() > rows ? ` of ${reading.count()}` : ''} orders of the list were read in ${LOOK_MS_MAX / 1_000} seconds, and the next try reads on from there`;
