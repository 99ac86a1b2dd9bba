import { finality, operationOf, orderStatuses } from '../../catalogue';
import type { Read } from '../../context';
import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import { unknownShape, type ListShape } from '../../wire/list-shape';
import { createListWalk } from '../../wire/list-walk';
import { assertShowsList } from '../lookup/list';
import { PAGE_LENGTHS } from '../../wire/page-length';
import { identityOf, instantOf, isItem, itemsIn, textOf, type Item } from '../../wire/payload';

/** Rows that one reading goes through at most, so that a day of 10,000 orders can be counted in any list. */
export const PLACED_ROWS_MAX = 20_000;
/** The longest time that orders wait for one reading. */
const PLACED_READING_MS_MAX = 60_000;
/** So many old orders in a row end a list whose order is known. */
const OLD_IN_A_ROW = 50;
/** Pages read at full speed; a longer reading pauses after each page, to leave request rate to others. */
const PAGES_UNPAUSED = 10;
const PAUSE_MS = 100;
/** How often one reading asks again for a page that failed for a moment, and how long it waits before that. */
const RETRIES_MAX = 3;
const RETRY_MS = { min: 500, max: 5_000 };
/** How often a whole list is read again that grew meanwhile. */
const ROUNDS_MAX = 3;

const list = operationOf('order.list');

/** What is learned about the list, kept between readings. */
export interface ListHabits {
	shape: ListShape;
	/** Whether the list has shown an order of final status: one that never does may hide them. */
	showsFinal: boolean;
}

export const unknownHabits = (): ListHabits => ({ shape: unknownShape(), showsFinal: false });

export interface PlacedReading {
	read: Read;
	clock: Clock;
	habits: ListHabits;
	/** Whether an order is too old to count. */
	isOld(order: Item): boolean;
	seen(order: Item): void;
}

/** What is left of one reading. */
interface Budget {
	rows: number;
	retries: number;
	pages: number;
	until: number;
}

/**
 * Reads the orders that are not too old, whatever the order of the list. A list that shows open orders alone is read by
 * status as well. Answers what the list does not show, or nothing. Throws the error of a page that cannot be read.
 */
export async function readPlaced(reading: PlacedReading): Promise<string | undefined> {
	const { habits, clock } = reading;
	const until = clock.elapsed() + PLACED_READING_MS_MAX;
	const budget: Budget = { rows: PLACED_ROWS_MAX, retries: RETRIES_MAX, pages: 0, until };
	let facts = await walk(reading, { filter: {}, shape: habits.shape }, budget);
	for (let round = 1; round < ROUNDS_MAX && facts.hasGrown; round += 1)
		facts = await walk(reading, { filter: {}, shape: habits.shape }, budget);
	habits.showsFinal ||= facts.showsFinal;
	return facts.gap ?? (habits.showsFinal ? undefined : await readByStatus(reading, budget));
}

async function readByStatus(reading: PlacedReading, budget: Budget): Promise<string | undefined> {
	for (const status of Object.keys(orderStatuses)) {
		if (finality(status) === 'open') continue;
		const facts = await walk(reading, { filter: { status }, shape: unknownShape() }, budget).catch(unfiltered);
		if (facts.isUnfiltered)
			return 'the list shows no order that is over and does not filter by status, so it may hide them';
		if (facts.gap !== undefined) return facts.gap;
	}
	return undefined;
}

/** A refused filter shows nothing of the orders it would have shown. */
function unfiltered(error: unknown): Pick<Facts, 'isUnfiltered' | 'gap'> {
	if (!isExchangeError(error, 'refused') && !isExchangeError(error, 'not_found')) throw error;
	return { isUnfiltered: true };
}

interface Facts {
	gap?: string;
	/** The list counts more orders than it showed. */
	hasGrown: boolean;
	showsFinal: boolean;
	/** An order of another status was shown than the one asked for. */
	isUnfiltered: boolean;
}

async function walk(
	reading: PlacedReading,
	{ filter, shape }: { filter: { status?: string }; shape: ListShape },
	budget: Budget,
): Promise<Facts> {
	const { isOld, seen, clock } = reading;
	const facts: Facts = { hasGrown: false, showsFinal: false, isUnfiltered: false };
	const ids = new Set<string>();
	let [counted, repeats] = [0, false];
	let top: string | undefined;
	const pages = createListWalk({
		shape,
		read: async (offset) => {
			const data = await readPage(reading, { ...filter, offset, limit: PAGE_LENGTHS[0] }, budget);
			const items = itemsIn(data, list.list!.at);
			const head = items[0] && identityOf(items[0], list);
			repeats ||= offset > 0 && head !== undefined && head === top;
			if (offset === 0) top = head;
			if (isItem(data) && typeof data.count === 'number') counted = Math.max(counted, data.count);
			return items;
		},
		identityOf: (order) => identityOf(order, list),
		timeOf: ({ created_at }) => instantOf(created_at),
		isSettled: isOld,
		settledInARow: OLD_IN_A_ROW,
	});
	for (let page = await pages.next(); page; page = await pages.next()) {
		for (const order of page) {
			ids.add(identityOf(order, list));
			const status = textOf(order, 'status');
			facts.showsFinal ||= status !== undefined && finality(status) === 'final';
			facts.isUnfiltered ||= filter.status !== undefined && status !== undefined && status !== filter.status;
			seen(order);
		}
		budget.rows -= page.length;
		if (budget.rows <= 0) return { ...facts, gap: `they are more than ${PLACED_ROWS_MAX} rows of the order list` };
		if (clock.elapsed() >= budget.until)
			return { ...facts, gap: `the list was not read in ${PLACED_READING_MS_MAX / 1_000} seconds` };
		budget.pages += 1;
		if (budget.pages > PAGES_UNPAUSED) await sleep(clock, PAUSE_MS);
	}
	if (!pages.isWhole()) return facts;
	facts.hasGrown = counted > ids.size;
	if (facts.hasGrown) facts.gap = `the list counts ${counted} orders and shows ${ids.size}`;
	else if (repeats) facts.gap = 'the list does not go on to a second page';
	return facts;
}

/** A page that fails for a moment is asked for again, because one failure must not refuse an order. */
async function readPage({ read, clock }: PlacedReading, query: Item, budget: Budget): Promise<unknown> {
	for (;;) {
		try {
			const data = await read('order.list', query);
			assertShowsList(data);
			return data;
		} catch (error) {
			if (!isExchangeError(error) || !error.retryable || budget.retries <= 0) throw error;
			const delayMs = Math.max(RETRY_MS.min, error.retryAfterMs ?? 0);
			if (delayMs > RETRY_MS.max) throw error;
			budget.retries -= 1;
			await sleep(clock, delayMs);
		}
	}
}
