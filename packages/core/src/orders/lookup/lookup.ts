import { orderStatuses } from '../../catalogue';
import { equal, isDecimal } from '../../decimal';
import { isExchangeError, type ErrorCode } from '../../errors';
import { orderIdOf, textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import type { Filter, OrderList } from './list';
import type { Seen } from './readings';
import type { LookupResult } from '../machine/state';

export interface LookupDependencies {
	list: OrderList;
	/** Stops waiting for the list. */
	signal?: AbortSignal;
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
export async function findOrders(query: OrderQuery, deps: LookupDependencies): Promise<FoundOrders> {
	if (!query.isThorough) return findRecent(query, deps);
	const plain = await look(query, {}, deps);
	if (plain.orders.length > 0 || plain.facts?.showsFinal) return found(plain);
	return findByStatus(query, plain, deps);
}

/** The name of the filter is ours, so a service that refuses it is asked without. */
async function findRecent(query: OrderQuery, deps: LookupDependencies): Promise<FoundOrders> {
	const plain = async (): Promise<FoundOrders> => found(await look(query, {}, deps));
	if (query.pair === undefined) return plain();
	try {
		return found(await look(query, { pair_id: query.pair }, deps));
	} catch (error) {
		if (!isFilterRefused(error)) throw error;
		return plain();
	}
}

/** A list without one ended order may be one of some orders only, so those of every status are asked for by its name. */
async function findByStatus(query: OrderQuery, plain: Seen, deps: LookupDependencies): Promise<FoundOrders> {
	let gap = plain.facts?.gap;
	for (const status of Object.keys(orderStatuses)) {
		const { orders, facts } = await look(query, { status }, deps).catch(withoutFilter);
		if (orders.length > 0) return { orders, complete: false };
		// Open orders in its answer show that the service does not know the filter, and so hides nothing and proves nothing.
		if (facts?.isUnfiltered && plain.facts?.rows) gap ??= 'the list shows open orders and does not filter by status';
		gap ??= facts?.gap;
	}
	return { orders: [], complete: gap === undefined, gap };
}

/** The list item of an order: it shows more than the order read alone is promised to. */
export async function findOrderById(id: string, deps: LookupDependencies): Promise<Item | undefined> {
	const matches = (item: Item): boolean => orderIdOf(item) === id;
	return (await look({ matches }, {}, deps)).orders[0];
}

const look = ({ matches, isThorough = false }: OrderQuery, filter: Filter, { list, signal }: LookupDependencies) =>
	list.look({ matches, isThorough, filter }, signal);

const found = ({ orders, facts }: Seen): FoundOrders => ({
	orders,
	complete: facts !== undefined && facts.gap === undefined,
	gap: facts?.gap,
});

const isFilterRefused = (error: unknown): boolean =>
	isExchangeError(error, 'refused') || isExchangeError(error, 'not_found');

/** A service that refuses the filter has said nothing about the orders behind it. */
function withoutFilter(error: unknown): Seen {
	if (!isFilterRefused(error)) throw error;
	return { orders: [], facts: { rows: 0, showsFinal: false, isUnfiltered: true } };
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
