import { orderStatuses, timesInForce } from '../../catalogue';
import { equal, isDecimal } from '../../decimal';
import { isExchangeError, type ErrorCode } from '../../errors';
import { orderIdOf, textOf, type Item } from '../../wire/payload';
import { identityOf } from '../identity';
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
	/** Narrows the list, when the service supports the filter. */
	pair?: string;
	/**
	 * Finding nothing decides what is sent or reported next, so the whole list is read, for orders of any age. When the
	 * list may show open orders alone, every final status is queried by name as well.
	 */
	isThorough?: boolean;
}

export interface FoundOrders {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Whether finding nothing proves that the order does not exist. */
	complete: boolean;
	/** The part of the list that could not be read, when the result is not complete. */
	gap?: string;
}

/** The orders under a client order id, in whatever case the service shows it. */
export function isNamed(clientOrderId: unknown): (order: Item) => boolean {
	const wanted = identityOf(String(clientOrderId));
	return (order) => {
		const name = textOf(order, 'client_order_id');
		return name !== undefined && (name === wanted || identityOf(name) === wanted);
	};
}

/** Searches the order list. Throws if a page cannot be read: a failed read is not "not found". */
export async function findOrders(query: OrderQuery, deps: LookupDependencies): Promise<FoundOrders> {
	if (!query.isThorough) return findRecent(query, deps);
	const plain = await look(query, {}, deps);
	if (plain.orders.length > 0 || plain.facts?.showsFinal) return toFound(plain);
	return findByStatus(query, plain, deps);
}

/** The interface does not name this filter, so a service that refuses it is asked without it. */
async function findRecent(query: OrderQuery, deps: LookupDependencies): Promise<FoundOrders> {
	const plain = async (): Promise<FoundOrders> => toFound(await look(query, {}, deps));
	if (query.pair === undefined) return plain();
	try {
		return toFound(await look(query, { pair_id: query.pair }, deps));
	} catch (error) {
		if (!isFilterRefused(error)) throw error;
		return plain();
	}
}

/** A list without a single final order may hide them, so each final status is queried by name. */
async function findByStatus(query: OrderQuery, plain: Seen, deps: LookupDependencies): Promise<FoundOrders> {
	let gap = plain.facts?.gap;
	for (const status of Object.keys(orderStatuses)) {
		const { orders, facts } = await look(query, { status }, deps).catch(withoutFilter);
		if (orders.length > 0) return { orders, complete: false };
		// Open orders in this answer show that the service ignores the status filter, so the answer proves nothing
		// about final orders.
		if (facts?.isUnfiltered && plain.facts?.rows) gap ??= 'the list shows open orders and does not filter by status';
		gap ??= facts?.gap;
	}
	return { orders: [], complete: gap === undefined, gap };
}

/** The order as the list shows it: the interface promises more fields there than for the single order. */
export async function findOrderById(id: string, deps: LookupDependencies): Promise<Item | undefined> {
	const matches = (item: Item): boolean => orderIdOf(item) === id;
	return (await look({ matches }, {}, deps)).orders[0];
}

const look = ({ matches, isThorough = false }: OrderQuery, filter: Filter, { list, signal }: LookupDependencies) =>
	list.look({ matches, isThorough, filter }, signal);

const toFound = ({ orders, facts }: Seen): FoundOrders => ({
	orders,
	complete: facts !== undefined && facts.gap === undefined,
	gap: facts?.gap,
});

const isFilterRefused = (error: unknown): boolean =>
	isExchangeError(error, 'refused') || isExchangeError(error, 'not_found');

/** A refused filter proves nothing about the orders it would have shown. */
function withoutFilter(error: unknown): Seen {
	if (!isFilterRefused(error)) throw error;
	return { orders: [], facts: { rows: 0, showsFinal: false, isUnfiltered: true } };
}

const words = ['pair_id', 'side', 'order_type'] as const;
const amounts = ['quantity', 'price'] as const;

/**
 * Whether an order matches the one that was asked for. A field the service does not show is no mismatch, and amounts
 * are compared by value: `1500` equals `1500.00`.
 */
export function isSameOrder(order: Item, sent: Accepted): boolean {
	return (
		words.every((name) => sameWord(textOf(order, name), sent[name])) &&
		sameTime(textOf(order, 'time_in_force'), sent.time_in_force) &&
		amounts.every((name) => sameAmount(order[name], sent[name]))
	);
}

const sameWord = (listed: string | undefined, sent: Accepted[string] | undefined): boolean =>
	listed === undefined || sent === undefined || listed.toLowerCase() === String(sent).toLowerCase();

/** Only documented words can differ: a service may show another one for the same thing. */
const sameTime = (listed: string | undefined, sent: Accepted[string] | undefined): boolean =>
	!timesInForce.some((word) => sameWord(listed ?? '', word)) || sameWord(listed, sent);

/** A market order is sent without a price and may be shown with any price. */
const sameAmount = (listed: unknown, sent: Accepted[string] | undefined): boolean =>
	sent === undefined || !isDecimal(listed) || !isDecimal(sent) || equal(listed, sent);

/** Errors that another read with the same key would repeat. */
const lasting: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'invalid_account', 'invalid_input'];

/** Turns a read that throws into a failed lookup, which never counts as finding nothing. */
export async function lookupResultOf(reading: () => Promise<LookupResult>): Promise<LookupResult> {
	try {
		return await reading();
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { is: 'failed', error, lasting: lasting.includes(error.code) };
	}
}
