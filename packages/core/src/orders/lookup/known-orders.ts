import { identityOf as idOf, instantOf, textOf, type Item } from '../../wire/payload';
import { operationOf } from '../../catalogue';
import { identityOf } from '../identity';
import { absenceMs, orderPolicy } from '../machine/policy';

/** Orders that are known at most of all lists together: about 55 MB. A longer list is not read. */
export const KNOWN_ORDERS_MAX = 250_000;
/** An order may appear so long after its time, behind newer ones that were shown before. */
export const APPEARS_AFTER_MS = absenceMs(orderPolicy());

const list = operationOf('order.list');

/** What an order list has shown, so that only what is new in it is read again. Plain data. */
export interface KnownOrders {
	/** Order IDs by the client order ID, as it names an intent. */
	named: Map<string, string[]>;
	/** The others by their order ID; of those that leave the name out, what else tells them apart. */
	unnamed: Map<string, Item | undefined>;
	rows: number;
	/** The latest time of an order. */
	newest?: number;
	/** Every order of an earlier time is known. Undefined before the list was read whole. */
	wholeUntil?: number;
	/** Whether the plain list shows orders that are over. One that never did may hide them. */
	showsFinal: boolean;
}

export const nothingKnown = (): KnownOrders => ({ named: new Map(), unnamed: new Map(), rows: 0, showsFinal: false });

const nameIn = (order: Item): string | undefined => {
	const name = textOf(order, 'client_order_id');
	return name === undefined || name === '' ? undefined : identityOf(name);
};

export function knows({ named, unnamed }: KnownOrders, order: Item): boolean {
	const [name, id] = [nameIn(order), idOf(order, list)];
	return name === undefined ? unnamed.has(id) : (named.get(name)?.includes(id) ?? false);
}

/** Adds the orders of a page. */
export function see(known: KnownOrders, orders: readonly Item[]): void {
	for (const order of orders) {
		const at = instantOf(order.created_at);
		if (at !== undefined && at > (known.newest ?? Number.NEGATIVE_INFINITY)) known.newest = at;
		if (knows(known, order)) continue;
		const [name, id] = [nameIn(order), idOf(order, list)];
		known.rows += 1;
		if (name === undefined) known.unnamed.set(id, 'client_order_id' in order ? undefined : withoutName(order));
		else known.named.set(name, [...(known.named.get(name) ?? []), id]);
	}
}

const TERMS = ['id', 'order_id', 'pair_id', 'side', 'order_type', 'quantity', 'price', 'time_in_force', 'created_at'];

const withoutName = (order: Item): Item =>
	Object.fromEntries(TERMS.filter((term) => term in order).map((term) => [term, order[term]]));

/** The IDs of the orders under a name; of an order that was replaced under its own name more than one. */
export const idsOf = ({ named }: KnownOrders, clientOrderId: string): readonly string[] =>
	named.get(identityOf(clientOrderId)) ?? [];

/** The orders that the list shows without a name. */
export const namelessIn = ({ unnamed }: KnownOrders): Item[] =>
	[...unnamed.values()].filter((order) => order !== undefined);

/**
 * A search that took so long has read the list to its end, or back to what was known. What was placed since it began may
 * be missing, and its clock is that of the orders.
 */
export function completed(known: KnownOrders, tookMs: number): void {
	if (known.newest !== undefined) known.wholeUntil = known.newest - tookMs;
}

/** Orders of an earlier time are known, in whatever order they appeared. */
export const knownBefore = ({ wholeUntil }: KnownOrders): number | undefined =>
	wholeUntil === undefined ? undefined : wholeUntil - APPEARS_AFTER_MS;

/** Whether an order needs no reading: it is known, and so is every one of its time. */
export function isSettled(known: KnownOrders, before: number | undefined, order: Item): boolean {
	const at = instantOf(order.created_at);
	return before !== undefined && at !== undefined && at < before && knows(known, order);
}
