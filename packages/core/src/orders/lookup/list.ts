import { operationOf } from '../../catalogue';
import type { Read } from '../../context';
import { ExchangeError, isExchangeError } from '../../errors';
import type { Ports } from '../../ports';
import type { ServiceClock } from '../../wire/remote-clock';
import { unknownShape } from '../../wire/list-shape';
import { type Item } from '../../wire/payload';
import {
	APPEARS_AFTER_MS,
	completed,
	emptyIndex,
	hidesNames,
	idsOf,
	knownBefore,
	namelessIn,
	type NameIndex,
} from './name-index';
import { isRefused, openReading, readOrderPage, type PageSource } from './list-reading';
import { isNamed } from '../identity';
import type { ListFacts, ListMemory, Party, Reader, Readings, Search, Seen } from './readings';
import { LOOK_MS_MAX, type SearchEnd, searchOn, UNSORTED_ROWS_MAX } from './search';
import { readOrder } from './single-order';

/** Rows read to find a recent order, when the list is sorted newest first. */
const NEWEST_ROWS = 1_000;
/** How often one look asks again for a page in the middle of the list that failed for a moment. */
const RETRIES_MAX = 5;
/** Orders under one name that are read one by one at most. */
const ALIKE_MAX = 10;
/** A search may find that what is known is not true, or was begun by an earlier look: then another one follows. */
const SEARCHES_MAX = 4;

export interface Wanted extends Pick<Reader, 'matches' | 'name' | 'since' | 'wantsAll'> {
	/** Finding nothing is to be proof; otherwise the newest rows are read, when the list is sorted newest first. */
	isThorough: boolean;
	/** Narrows a look that is not thorough. */
	pair?: string;
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
	service: ServiceClock;
	/** Whose list it is, so that only equal lists share a read. */
	name: string;
	readings: Readings;
}

const list = operationOf('order.list');

/** Concurrent lookups share one read of the list. */
export const createOrderList = (source: Source): OrderList => ({
	look: ({ isThorough, pair, ...reader }, signal) => {
		const { index } = source.readings.memoryOf(source.name);
		// Where the list is known, reading what is new costs less than reading its newest orders.
		const isKnown = reader.name !== undefined && index.wholeUntil !== undefined && index.showsFinal;
		const readsNew = isThorough || isKnown;
		// Who needs the latest orders alone waits for nobody who reads the whole list first.
		const isShort = index.wholeUntil === undefined && reader.name === undefined && reader.since !== undefined;
		return source.readings.join(
			JSON.stringify([source.name, readsNew, readsNew ? isShort : pair]),
			{ ...reader, signal, stopped },
			{
				read: (party) => (readsNew ? readThoroughly(party, source) : readNewest(party, pair, source)),
				clock: source.ports.clock,
			},
		);
	},
});

const stopped = (): ExchangeError =>
	new ExchangeError('aborted', { operation: list.label, what: 'The call was stopped' });

/**
 * A page that fails before any other was read is asked for again for those who wait for all of it; the others do that
 * at their own pace.
 */
const pagesOf = ({ read, ports: { clock } }: Source, { signal, waiting }: Party): PageSource => ({
	...{ read, clock, signal },
	budget: { retries: RETRIES_MAX, pages: 0, isFirstRepeated: waiting().some(({ wantsAll }) => wantsAll) },
});

async function readNewest(party: Party, pair: string | undefined, source: Source): Promise<ListFacts> {
	const shape = unknownShape();
	const pages = pagesOf(source, party);
	const reading = openReading({
		...{ filter: { ...(pair === undefined ? {} : { pair_id: pair }) }, shape, isToTheEnd: true },
		page: (query) => readOrderPage(pages, query),
		isSettled: () => false,
	});
	for (let orders = await reading.next(); orders; orders = await reading.next()) {
		party.see(orders);
		const isEnough = reading.rows() >= NEWEST_ROWS && shape.order === 'newest_first';
		if (isEnough || party.isOver() || reading.rows() >= UNSORTED_ROWS_MAX) break;
	}
	return { gap: 'only its newest orders were read' };
}

/**
 * Reads what is not known yet, and all of the list where nothing is. What an earlier look left unread is read first, and
 * then what came since, because a search proves nothing about what was placed after it began.
 */
async function readThoroughly(party: Party, source: Source): Promise<ListFacts> {
	const { clock } = source.ports;
	const memory = source.readings.memoryOf(source.name);
	const pages = pagesOf(source, party);
	const askedAt = clock.elapsed();
	for (let searches = 1; searches <= SEARCHES_MAX; searches += 1) {
		const needed = newSearch(memory, party, pages);
		const search = needed.isWhole ? (memory.begun ?? needed) : needed;
		const isFirst = search.isWhole && memory.index.wholeUntil === undefined;
		if (isFirst) memory.begun = search;
		search.source = pages;
		const end = await searchOn(search, { memory, party, until: askedAt + LOOK_MS_MAX });
		const isLeft = party.isOver();
		if (search.isWhole) memory.begun = end.isOpen || (isFirst && isLeft) ? search : undefined;
		const isWhole = end.gap === undefined && !end.isContradicted && !isLeft;
		if (isWhole && search.isWhole)
			completed(memory.index, clock.elapsed() - search.beganAt, source.service.at(clock.elapsed()));
		const isTrue = !end.isContradicted && (party.isOver() || (await showKnown(party, memory, source)));
		if (search.isWhole && (!isTrue || (end.gap !== undefined && !end.isOpen))) forget(memory);
		if (party.isOver()) return {};
		if (end.gap !== undefined) return { gap: end.gap };
		if (isTrue && search.beganAt >= askedAt) return factsOf(memory.index, end);
	}
	return { gap: 'the list is another one each time it is read' };
}

function newSearch({ index }: ListMemory, party: Party, source: PageSource): Search {
	const before = knownBefore(index);
	// A name needs every older order to be known. Whoever looks for anything else sees every order that may be meant.
	const since = party
		.waiting()
		.map(({ name, since = -Infinity }) => (name === undefined ? since : before === undefined ? -Infinity : Infinity))
		.reduce((a, b) => Math.min(a, b), Infinity);
	const settledBefore = Math.min(before ?? Infinity, since - APPEARS_AFTER_MS);
	const isWhole = before !== undefined || since === -Infinity;
	return { beganAt: source.clock.elapsed(), settledBefore, isWhole, readings: new Map(), ended: new Set(), source };
}

const factsOf = (index: NameIndex, { mayHideEnded }: SearchEnd): ListFacts => ({
	...(hidesNames(index) ? { hidesNames: true } : {}),
	...(mayHideEnded ? { mayHideEnded } : {}),
});

function forget(memory: ListMemory): void {
	[memory.index, memory.begun] = [emptyIndex(), undefined];
}

/**
 * Shows who waits the orders under their names that were read before, as they are now. Answers false where an order is
 * not there any more, or not under its name: then the list is another one.
 */
async function showKnown(party: Party, { index }: ListMemory, { read }: Source): Promise<boolean> {
	const nameless = namelessIn(index);
	for (const { name, see } of party.waiting()) {
		if (name === undefined) continue;
		const orders = [...nameless];
		for (const id of idsOf(index, name).slice(0, ALIKE_MAX)) {
			const order = await readKnown(id, read, party);
			if (!order || !isNamed(name)(order) || !('quantity' in order)) return false;
			orders.push({ ...order, id });
		}
		see(orders);
	}
	return true;
}

async function readKnown(id: string, read: Read, { signal }: Party): Promise<Item | undefined> {
	try {
		return await readOrder(read, id, { signal });
	} catch (error) {
		if (isRefused(error) || isExchangeError(error, 'malformed_response')) return undefined;
		throw error;
	}
}
