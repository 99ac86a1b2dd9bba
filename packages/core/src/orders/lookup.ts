import { finality, operationOf, orderStatuses } from '../catalogue';
import type { CallContext, Read } from '../context';
import { eachItem } from '../wire/pages';
import { instantOf, isItem, itemsIn, orderIdOf, textOf, type Item } from '../wire/payload';
import { equal, isDecimal } from '../decimal';
import { isExchangeError, type ErrorCode } from '../errors';
import type { Accepted } from '../wire/request';
import type { LookupResult } from './state';
import type { Ports } from '../ports';

/** Orders looked through for one sent a moment ago, where the list shows the newest first. */
const NEWEST_ROWS = 1_000;
/** Orders looked through at most; finding nothing among them proves nothing about the rest. */
const ROWS_MAX = 10_000;

export interface LookupDependencies {
	read: Read;
	ports: Pick<Ports, 'clock'>;
	context: CallContext;
}

export interface OrderQuery {
	matches: (order: Item) => boolean;
	/** Narrows the list, where the service knows the filter. */
	pair?: string;
	/**
	 * Finding nothing decides what is sent or said next, so the order may be of any age and status: the whole list is read,
	 * and every final status by name where the list may show open orders alone.
	 */
	isThorough?: boolean;
}

export interface FoundOrders {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Whether finding nothing means that there is nothing. */
	complete: boolean;
	/** What could not be seen, where it is not complete. */
	gap?: string;
}

/** The orders under a client order id. */
export const isNamed =
	(clientOrderId: unknown) =>
	(order: Item): boolean =>
		textOf(order, 'client_order_id') === String(clientOrderId);

/** Looks through the order list. Throws if a page cannot be read: that is not the same as not found. */
export async function findOrders(
	{ matches, pair, isThorough = false }: OrderQuery,
	deps: LookupDependencies,
): Promise<FoundOrders> {
	if (!isThorough) return scanPair(matches, pair, deps);
	const plain = await scan(matches, { isThorough, filter: {} }, deps);
	if (plain.orders.length > 0 || plain.showsFinal) return plain;
	return scanStatuses(matches, plain, deps);
}

/** The name of the filter is ours, so a service that refuses it is asked without. */
async function scanPair(matches: Match, pair: string | undefined, deps: LookupDependencies): Promise<FoundOrders> {
	const plain = { isThorough: false, filter: {} };
	if (pair === undefined) return scan(matches, plain, deps);
	try {
		return await scan(matches, { ...plain, filter: { pair_id: pair } }, deps);
	} catch (error) {
		if (!isExchangeError(error, 'refused') && !isExchangeError(error, 'not_found')) throw error;
		return scan(matches, plain, deps);
	}
}

/** A list without one ended order may be one of some orders only, so those of every status are asked for by its name. */
async function scanStatuses(matches: Match, plain: Scan, deps: LookupDependencies): Promise<FoundOrders> {
	let gap = plain.gap;
	for (const status of Object.keys(orderStatuses)) {
		const found = await scan(matches, { isThorough: true, filter: { status } }, deps).catch(withoutFilter);
		if (found.orders.length > 0) return found;
		// Open orders in its answer show that the service does not know the filter, and so hides nothing and proves nothing.
		if (found.isUnfiltered && plain.rows > 0) gap ??= 'the list shows open orders and does not filter by status';
		gap ??= found.gap;
	}
	return { orders: [], complete: gap === undefined, gap };
}

/** The list item of an order: it shows more than the order read alone is promised to. */
export async function findOrderById(id: string, deps: LookupDependencies): Promise<Item | undefined> {
	const matches = (item: Item): boolean => orderIdOf(item) === id;
	return (await scan(matches, { isThorough: false, filter: {} }, deps)).orders[0];
}

/** A service that refuses the filter has said nothing about the orders behind it. */
function withoutFilter(error: unknown): Scan {
	if (!isExchangeError(error, 'refused') && !isExchangeError(error, 'not_found')) throw error;
	return { orders: [], complete: false, rows: 0, showsFinal: false, isUnfiltered: true };
}

type Filter = Readonly<Record<string, unknown>>;
type Match = (item: Item) => boolean;

interface Scan extends FoundOrders {
	rows: number;
	/** Whether some order in it has ended. */
	showsFinal: boolean;
	/** Whether it shows orders that the status filter should have left out. */
	isUnfiltered: boolean;
}

async function scan(
	matches: Match,
	{ isThorough, filter }: { isThorough: boolean; filter: Filter },
	{ read, ports, context }: LookupDependencies,
): Promise<Scan> {
	const list = operationOf('order.list');
	const found = new Map<string, Item>();
	const seen = watchList(filter);
	const readPage = async (cursor: Filter): Promise<unknown> => {
		const data = await read('order.list', { ...filter, ...cursor }, context);
		const items = itemsIn(data, list.list!.at);
		seen.page(data, items, Number(cursor.offset ?? 0));
		for (const item of items) if (matches(item)) found.set(orderIdOf(item) ?? JSON.stringify(item), item);
		return data;
	};
	const isRecent = (): boolean => !isThorough && seen.rows() >= NEWEST_ROWS && seen.isNewestFirst();
	const ends = (): boolean => found.size > 0 || isRecent() || seen.rows() >= ROWS_MAX;
	const items = eachItem(list, filter, { ports, readPage, signal: context.signal });
	while (!ends() && !(await items.next()).done);
	const gap = isRecent() ? undefined : seen.gap();
	return { orders: [...found.values()], complete: gap === undefined, gap, rows: seen.rows(), ...seen.statuses() };
}

/** Notices what a list does not show, from its pages. */
function watchList({ status: wanted }: Filter) {
	const identities = new Set<string>();
	let [first, latest]: (number | undefined)[] = [];
	let top: string | undefined;
	let [count, rows, repeats, showsFinal, isUnfiltered] = [0, 0, false, false, false];
	const see = (item: Item): void => {
		rows += 1;
		identities.add(orderIdOf(item) ?? JSON.stringify(item));
		latest = instantOf(item.created_at) ?? latest;
		first ??= latest;
		const status = textOf(item, 'status');
		showsFinal ||= status !== undefined && finality(status) === 'final';
		isUnfiltered ||= wanted !== undefined && status !== undefined && status !== wanted;
	};
	return {
		page: (data: unknown, items: readonly Item[], offset: number): void => {
			if (isItem(data) && typeof data.count === 'number') count = Math.max(count, data.count);
			const head = items[0] && orderIdOf(items[0]);
			// A later page that begins like the first one is the first one: the service does not know the offset.
			repeats ||= offset > 0 && head !== undefined && head === top;
			if (offset === 0) top = head;
			items.forEach(see);
		},
		rows: (): number => rows,
		isNewestFirst: (): boolean => first !== undefined && latest !== undefined && first > latest,
		statuses: () => ({ showsFinal, isUnfiltered }),
		gap: (): string | undefined => {
			if (rows >= ROWS_MAX) return `the order list is longer than ${ROWS_MAX} rows`;
			if (count > identities.size) return `the list counts ${count} orders and shows ${identities.size}`;
			return repeats ? 'the list does not go on to a second page' : undefined;
		},
	};
}

const words = ['pair_id', 'side', 'order_type'] as const;
const amounts = ['quantity', 'price'] as const;

/**
 * Whether an order is the one that was asked for. A field the service does not show cannot speak against it, and
 * amounts are compared by value: `1500` is `1500.00`.
 */
export function isSameOrder(order: Item, asked: Accepted): boolean {
	return (
		words.every((name) => sameWord(textOf(order, name), asked[name])) &&
		amounts.every((name) => sameAmount(order[name], asked[name]))
	);
}

const sameWord = (shown: string | undefined, asked: Accepted[string] | undefined): boolean =>
	shown === undefined || asked === undefined || shown.toLowerCase() === String(asked).toLowerCase();

/** A market order is asked for without a price and may be shown with any. */
const sameAmount = (shown: unknown, asked: Accepted[string] | undefined): boolean =>
	asked === undefined || !isDecimal(shown) || !isDecimal(asked) || equal(shown, asked);

/** Failures that another reading with the same key will not change. */
const lasting: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'invalid_account', 'invalid_input'];

/** Turns a reading that throws into one that failed, which is never the same as finding nothing. */
export async function lookupResultOf(reading: () => Promise<LookupResult>): Promise<LookupResult> {
	try {
		return await reading();
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { is: 'failed', error, lasting: lasting.includes(error.code) };
	}
}
