import { operationOf, orderStatuses } from '../catalogue';
import type { CallContext, Read } from '../context';
import { eachItem } from '../wire/pages';
import { instantOf, itemsIn, orderIdOf, textOf, type Item } from '../wire/payload';
import { equal, isDecimal } from '../decimal';
import { isExchangeError, type ErrorCode } from '../errors';
import type { Accepted } from '../wire/request';
import type { LookupResult } from './state';
import type { Ports } from '../ports';

/** Orders looked through where the list shows the newest first, as an order just sent is among them. */
const NEWEST_ROWS = 1_000;
/** Orders looked through in any other list; finding nothing among them proves nothing about the rest. */
const ROWS_MAX = 10_000;

export interface LookupDependencies {
	read: Read;
	ports: Pick<Ports, 'clock'>;
	context: CallContext;
}

export interface OrderQuery {
	clientOrderId: string;
	/** Narrows the list, where the service knows the filter. */
	pair?: string;
	/** Also ask for every status by name, in case the plain list leaves finished orders out. */
	thorough?: boolean;
}

export interface FoundOrders {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Whether finding nothing means that there is nothing. */
	complete: boolean;
}

/** Looks for orders by their client order id. Throws if a page cannot be read: that is not the same as not found. */
export async function findOrders(
	{ clientOrderId, pair, thorough }: OrderQuery,
	deps: LookupDependencies,
): Promise<FoundOrders> {
	const matches = (item: Item): boolean => textOf(item, 'client_order_id') === clientOrderId;
	const plain = await scanPair(matches, pair, deps);
	if (plain.orders.length > 0 || !thorough) return plain;
	for (const status of Object.keys(orderStatuses)) {
		const found = await scan(matches, { status }, deps).catch(withoutFilter);
		if (found.orders.length > 0) return found;
	}
	return plain;
}

/** The name of the filter is ours, so a service that refuses it is asked without. */
async function scanPair(
	matches: (item: Item) => boolean,
	pair: string | undefined,
	deps: LookupDependencies,
): Promise<FoundOrders> {
	if (pair === undefined) return scan(matches, {}, deps);
	try {
		return await scan(matches, { pair_id: pair }, deps);
	} catch (error) {
		if (!isExchangeError(error, 'refused') && !isExchangeError(error, 'not_found')) throw error;
		return scan(matches, {}, deps);
	}
}

/** The list item of an order: it shows more than the order read alone is promised to. */
export async function findOrderById(id: string, deps: LookupDependencies): Promise<Item | undefined> {
	return (await scan((item) => orderIdOf(item) === id, {}, deps)).orders[0];
}

/** A service that refuses the filter has said nothing about the order; the plain list has been read already. */
function withoutFilter(error: unknown): FoundOrders {
	if (isExchangeError(error, 'refused') || isExchangeError(error, 'not_found')) return { orders: [], complete: true };
	throw error;
}

type Filter = Readonly<Record<string, unknown>>;

async function scan(
	matches: (item: Item) => boolean,
	filter: Filter,
	{ read, ports, context }: LookupDependencies,
): Promise<FoundOrders> {
	const list = operationOf('order.list');
	const found = new Map<string, Item>();
	const order = watchSorting();
	let rows = 0;
	const readPage = async (cursor: Filter): Promise<unknown> => {
		const data = await read('order.list', { ...filter, ...cursor }, context);
		for (const item of itemsIn(data, list.list!.at)) {
			rows += 1;
			order.see(item);
			if (matches(item)) found.set(orderIdOf(item) ?? JSON.stringify(item), item);
		}
		return data;
	};
	const ends = (): boolean => found.size > 0 || (rows >= NEWEST_ROWS && order.isNewestFirst()) || rows >= ROWS_MAX;
	const items = eachItem(list, filter, { ports, readPage, signal: context.signal });
	while (!ends() && !(await items.next()).done);
	return { orders: [...found.values()], complete: rows < ROWS_MAX };
}

/** Notices whether a list runs from new to old, from its first and its latest row. */
function watchSorting() {
	let first: number | undefined;
	let latest: number | undefined;
	return {
		see: (item: Item): void => {
			latest = instantOf(item.created_at) ?? latest;
			first ??= latest;
		},
		isNewestFirst: (): boolean => first !== undefined && latest !== undefined && first > latest,
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
