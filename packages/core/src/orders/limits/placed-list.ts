import { finality, orderStatuses } from '../../catalogue';
import type { Read } from '../../context';
import type { Clock } from '../../ports';
import { unknownShape, type ListShape } from '../../wire/list-shape';
import type { Item } from '../../wire/payload';
import { isRefused, openReading, readOrderPage, type ReadingBudget } from '../lookup/list-reading';

/** Rows that one reading goes through at most, so that a day of 10,000 orders can be counted in any list. */
export const PLACED_ROWS_MAX = 20_000;
/** The longest time that orders wait for one reading. */
const PLACED_READING_MS_MAX = 60_000;
/** How often one reading asks again for a page that failed for a moment, because one failure must not refuse an order. */
const RETRIES_MAX = 3;
/** How often a whole list is read again that grew meanwhile. */
const ROUNDS_MAX = 3;

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
interface Budget extends ReadingBudget {
	rows: number;
	until: number;
}

/**
 * Reads the orders that are not too old, whatever the order of the list. A list that shows open orders alone is read by
 * status as well. Answers what the list does not show, or nothing. Throws the error of a page that cannot be read.
 */
export async function readPlaced(reading: PlacedReading): Promise<string | undefined> {
	const { habits, clock } = reading;
	const until = clock.elapsed() + PLACED_READING_MS_MAX;
	const budget: Budget = { rows: PLACED_ROWS_MAX, retries: RETRIES_MAX, isFirstRepeated: true, pages: 0, until };
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
	if (!isRefused(error)) throw error;
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
	const { isOld, seen, read, clock } = reading;
	const page = (query: Item): Promise<unknown> => readOrderPage({ read, clock, budget }, query);
	const pages = openReading({ filter, shape, page, isSettled: isOld });
	const facts = (gap?: string): Facts => ({
		gap,
		hasGrown: false,
		showsFinal: pages.showsFinal(),
		isUnfiltered: pages.isUnfiltered(),
	});
	for (let orders = await pages.next(); orders; orders = await pages.next()) {
		orders.forEach(seen);
		budget.rows -= orders.length;
		if (budget.rows <= 0) return facts(`they are more than ${PLACED_ROWS_MAX} rows of the order list`);
		if (clock.elapsed() >= budget.until)
			return facts(`the list was not read in ${PLACED_READING_MS_MAX / 1_000} seconds`);
	}
	if (!pages.isWhole()) return facts();
	if (pages.count() > pages.rows())
		return { ...facts(`the list counts ${pages.count()} orders and shows ${pages.rows()}`), hasGrown: true };
	return facts(pages.repeats() ? 'the list does not go on to a second page' : undefined);
}
