import { finality, operationOf } from '../../catalogue';
import type { Read } from '../../context';
import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import type { ListShape } from '../../wire/list-shape';
import { createListWalk } from '../../wire/list-walk';
import { PAGE_LENGTHS } from '../../wire/page-length';
import { identityOf, instantOf, isItem, itemsIn, textOf, type Item } from '../../wire/payload';

/** So many settled orders in a row end a list whose order is known. */
const SETTLED_IN_A_ROW = 50;
/** Pages read at full speed; a longer reading pauses before each page, to leave request rate to others. */
const PAGES_UNPAUSED = 10;
const PAUSE_MS = 100;
/** How long a page that failed for a moment is waited for. */
const RETRY_MS = { min: 500, max: 10_000 };

const list = operationOf('order.list');

/** What is left of what one reading may use. */
export interface ReadingBudget {
	/** How often a page that failed for a moment is asked for again, so that one failure does not discard those before. */
	retries: number;
	/** Whether the first page is repeated too. */
	isFirstRepeated: boolean;
	pages: number;
}

export interface PageSource {
	read: Read;
	clock: Clock;
	budget: ReadingBudget;
	signal?: AbortSignal;
}

/** Reads one page of the order list. */
export async function readOrderPage({ read, clock, budget, signal }: PageSource, query: Item): Promise<unknown> {
	if (budget.pages >= PAGES_UNPAUSED) await sleep(clock, PAUSE_MS, signal);
	for (;;) {
		try {
			const data = await read('order.list', query, { signal });
			budget.pages += 1;
			return data;
		} catch (error) {
			const isRepeated = budget.retries > 0 && (budget.isFirstRepeated || budget.pages > 0) && !signal?.aborted;
			if (!isExchangeError(error) || !error.retryable || !isRepeated) throw error;
			const delayMs = Math.max(RETRY_MS.min, error.retryAfterMs ?? 0);
			if (delayMs > RETRY_MS.max) throw error;
			budget.retries -= 1;
			await sleep(clock, delayMs, signal);
		}
	}
}

/** A service may refuse a filter or an order that it does not know. */
export const isRefused = (error: unknown): boolean =>
	isExchangeError(error, 'refused') || isExchangeError(error, 'not_found');

interface Wanted {
	filter: Readonly<{ status?: string; pair_id?: string }>;
	shape: ListShape;
	/** Reads one page of the list. */
	page(query: Item): Promise<unknown>;
	isSettled(order: Item): boolean;
	/** Reads the whole list, whatever is settled. */
	isToTheEnd?: boolean;
}

/** One reading of the order list under one filter, and what it learned of it. */
export interface ListReading {
	/** The orders of the next page; undefined once every one was read that is not settled. */
	next(): Promise<Item[] | undefined>;
	/** Begins at the front again. The function says whether the latest page reached an order that was read before. */
	fromFront(): () => boolean;
	/** Whether the whole list was read. */
	isWhole(): boolean;
	/** How many orders it showed. */
	rows(): number;
	/** How many there are by its count: on the latest reading of its first page, and on the latest page. */
	count(): number;
	/** Whether a later page began as the first one, so that the service may ignore the offset. */
	repeats(): boolean;
	/** Whether it showed an order of final status. */
	showsFinal(): boolean;
	/** Whether it showed an order of another status than the one asked for. */
	isUnfiltered(): boolean;
}

export function openReading({ filter, shape, page, isSettled, isToTheEnd }: Wanted): ListReading {
	const ids = new Set<string>();
	let [atTop, last, repeats, showsFinal, isUnfiltered, joins] = [0, 0, false, false, false, false];
	let top: string | undefined;
	/** Read since the list was begun at its front again. */
	let again: Set<string> | undefined;
	const idOf = (order: Item): string => identityOf(order, list);
	const read = async (offset: number): Promise<Item[]> => {
		const data = await page({ ...filter, offset, limit: PAGE_LENGTHS[0] });
		const orders = itemsIn(data, list.list!.at);
		const head = orders[0] && idOf(orders[0]);
		const count = isItem(data) && typeof data.count === 'number' ? data.count : 0;
		// Where a look is continued, as many orders may have come in front as were read before.
		repeats ||= offset > 0 && head !== undefined && head === top && count === atTop;
		if (offset === 0) [top, atTop] = [head, count];
		if (orders.length > 0) last = count;
		return orders;
	};
	const options = {
		shape,
		read,
		identityOf: idOf,
		timeOf: ({ created_at }: Item) => instantOf(created_at),
		isSettled,
		settledInARow: SETTLED_IN_A_ROW,
	};
	const first = createListWalk({ ...options, isToTheEnd });
	let walk = first;
	const see = (order: Item): void => {
		const status = textOf(order, 'status');
		const id = idOf(order);
		joins ||= ids.has(id) && !again?.has(id);
		ids.add(id);
		again?.add(id);
		showsFinal ||= status !== undefined && finality(status) === 'final';
		isUnfiltered ||= filter.status !== undefined && status !== undefined && status !== filter.status;
	};
	return {
		next: async () => {
			const orders = await walk.next();
			orders?.forEach(see);
			return orders;
		},
		fromFront: () => {
			[walk, again, joins] = [createListWalk({ ...options, isToTheEnd: true }), new Set(), false];
			return () => joins;
		},
		isWhole: first.isWhole,
		rows: () => ids.size,
		count: () => Math.max(atTop, last),
		repeats: () => repeats,
		showsFinal: () => showsFinal,
		isUnfiltered: () => isUnfiltered,
	};
}
