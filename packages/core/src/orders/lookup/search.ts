import { orderStatuses } from '../../catalogue';
import { unknownShape } from '../../wire/list-shape';
import { INDEX_ROWS_MAX, isOlder, knows, see, type NameIndex } from './name-index';
import { isRefused, openReading, readOrderPage, type ListReading } from './list-reading';
import type { ListFacts, ListMemory, Party, Search } from './readings';

/** Orders of a list in no order by time that are read at most, because each search reads all of them. */
export const UNSORTED_ROWS_MAX = 20_000;
/** The longest time that one look reads pages; the next one continues there. */
export const LOOK_MS_MAX = 90_000;
/** How often the start of the list is read again when new orders arrive during the read. */
const ROUNDS_MAX = 5;

/** `gap`: what was not read. `isOpen`: the next look continues this search. `isContradicted`: an order is missing. */
export interface SearchEnd extends Pick<ListFacts, 'mayHideEnded'> {
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
	memory.index.showsFinal ||= plain.reading.showsFinal();
	if (isOver(plain, party) || memory.index.showsFinal) return plain.end;
	// A list without a single final order may hide them, so each status is asked for by name. An order that goes on to
	// another status meanwhile goes to one that is read later.
	let mayHideEnded = false;
	for (const status of Object.keys(orderStatuses)) {
		const filtered = await readList(search, { status }, searching).catch(refusedFilter);
		// Open orders in this answer show that the service ignores the filter, so it proves nothing about final orders.
		if ((!filtered || filtered.reading.isUnfiltered()) && memory.index.rows > 0)
			return { gap: 'the list shows open orders and does not filter by status' };
		if (filtered && isOver(filtered, party)) return filtered.end;
		mayHideEnded ||= !filtered;
	}
	return { mayHideEnded };
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
	if (search.ended.has(name)) return { reading, end: {} };
	const isSorted = (): boolean => memory.shapes.get(name)!.order !== 'unknown';
	let end = await readOn(search, reading, isSorted, searching);
	/** What was not read whole is compared with all that is known, unless it shows one status alone. */
	const rows = (): number => (reading.isWhole() ? reading.rows() : memory.index.rows);
	const isCounted = (): boolean => reading.isWhole() || (search.isWhole && name === '');
	const hasGrown = (): boolean => !reading.repeats() && isCounted() && reading.count() > rows();
	for (let round = 1; round <= ROUNDS_MAX && hasGrown() && !end.gap && !party.isOver(); round += 1) {
		// Orders that arrived at the front during the read are read as well, until a page overlaps the known ones.
		const joins = reading.fromFront();
		end = await readOn(search, reading, isSorted, searching, joins);
	}
	if (end.gap || party.isOver()) return { reading, end };
	if (hasGrown() && !reading.isWhole()) return { reading, end: { isContradicted: true } };
	if (hasGrown()) return { reading, end: { gap: `the list counts ${reading.count()} orders and shows ${rows()}` } };
	if (reading.repeats()) return { reading, end: { gap: 'the list does not go on to a second page' } };
	search.ended.add(name);
	return { reading, end: {} };
}

function begin(search: Search, filter: { status?: string }, { memory }: Searching): ListReading {
	const { index, shapes } = memory;
	const { settledBefore, isWhole } = search;
	const name = filter.status ?? '';
	const shape = shapes.get(name) ?? unknownShape();
	shapes.set(name, shape);
	return openReading({
		...{ filter, shape },
		page: (query) => readOrderPage(search.source, query),
		isSettled: (order) => isOlder(order, settledBefore) && (!isWhole || knows(index, order)),
		isToTheEnd: settledBefore === -Infinity,
	});
}

async function readOn(
	{ source: { clock } }: Search,
	reading: ListReading,
	isSorted: () => boolean,
	{ memory: { index }, party, until }: Searching,
	joins = (): boolean => false,
): Promise<SearchEnd> {
	for (;;) {
		if (index.rows >= INDEX_ROWS_MAX)
			return { gap: `the order list is longer than ${INDEX_ROWS_MAX} rows`, isOpen: true };
		if (reading.rows() >= UNSORTED_ROWS_MAX && !isSorted())
			return { gap: `the order list is longer than ${UNSORTED_ROWS_MAX} rows and not sorted by time` };
		if (clock.elapsed() >= until) return { gap: unfinished(index, reading), isOpen: true };
		const orders = await reading.next();
		if (!orders) return {};
		see(index, orders);
		party.see(orders);
		if (joins() || party.isOver()) return {};
	}
}

const unfinished = ({ rows }: NameIndex, reading: ListReading): string =>
	`${rows}${reading.count() > rows ? ` of ${reading.count()}` : ''} orders of the list were read in ${LOOK_MS_MAX / 1_000} seconds, and the next try reads on from there`;
