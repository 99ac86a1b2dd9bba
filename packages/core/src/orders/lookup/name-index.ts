import { identityOf as idOf, instantOf, textOf, type Item } from '../../wire/payload';
import { operationOf } from '../../catalogue';
import { identitiesSent, identitiesShown } from '../identity';
import { absenceMs, orderPolicy } from '../machine/policy';

/** Orders that are known at most of all lists together: about 40 MB. A longer list is not read. */
export const INDEX_ROWS_MAX = 250_000;
/** How late an order may appear in the list, behind newer orders that were shown before. */
export const APPEARS_AFTER_MS = absenceMs(orderPolicy());

const list = operationOf('order.list');

/** What an order list has shown, so that only what is new in it is read again. Plain data. */
export interface NameIndex {
	/** Order IDs by the client order ID, as it names an intent; nearly always one. */
	named: Map<string, string | Set<string>>;
	/** The others by their order ID; where the list may leave names out, with what else tells them apart. */
	unnamed: Map<string, Item | undefined>;
	rows: number;
	/** The latest time of an order. */
	newest?: number;
	/** Every order of an earlier time is known. Undefined before the list was read whole. */
	wholeUntil?: number;
	/** Whether the plain list shows orders that are over. One that never did may hide them. */
	showsFinal: boolean;
}

export const emptyIndex = (): NameIndex => ({ named: new Map(), unnamed: new Map(), rows: 0, showsFinal: false });

const namesIn = (order: Item): string[] => {
	const name = textOf(order, 'client_order_id');
	return name === undefined || name === '' ? [] : identitiesShown(name);
};

export function knows({ named, unnamed }: NameIndex, order: Item): boolean {
	const [[name], id] = [namesIn(order), idOf(order, list)];
	if (name === undefined) return unnamed.has(id);
	const ids = named.get(name);
	return typeof ids === 'object' ? ids.has(id) : ids === id;
}

/** Adds the orders of a page. */
export function see(index: NameIndex, orders: readonly Item[]): void {
	for (const order of orders) {
		const at = instantOf(order.created_at);
		if (at !== undefined && at > (index.newest ?? Number.NEGATIVE_INFINITY)) index.newest = at;
		if (knows(index, order)) continue;
		const [names, id] = [namesIn(order), idOf(order, list)];
		index.rows += 1;
		if (names.length === 0) index.unnamed.set(id, isNamelessByChoice(index, order) ? undefined : withoutName(order));
		for (const name of names) addName(index, name, id);
	}
}

/** Where other orders show their names, an empty one says that there is none. */
const isNamelessByChoice = (index: NameIndex, order: Item): boolean =>
	'client_order_id' in order && index.named.size > 0;

/** Whether the list has orders, and shows the name of none. */
export const hidesNames = ({ named, unnamed }: NameIndex): boolean => named.size === 0 && unnamed.size > 0;

function addName({ named }: NameIndex, name: string, id: string): void {
	const ids = named.get(name);
	if (typeof ids === 'object') ids.add(id);
	else named.set(name, ids === undefined ? id : new Set([ids, id]));
}

const TERMS = [
	...['id', 'order_id', 'client_order_id', 'pair_id', 'side', 'order_type'],
	...['quantity', 'price', 'time_in_force', 'created_at'],
];

const withoutName = (order: Item): Item =>
	Object.fromEntries(TERMS.filter((term) => term in order).map((term) => [term, order[term]]));

/** The IDs of the orders under a name; of an order that was replaced under its own name more than one. */
export function idsOf({ named }: NameIndex, clientOrderId: string): string[] {
	return identitiesSent(clientOrderId).flatMap((name) => {
		const ids = named.get(name);
		return typeof ids === 'object' ? [...ids] : (ids ?? []);
	});
}

/** The orders that the list shows without a name. */
export const namelessIn = ({ unnamed }: NameIndex): Item[] =>
	[...unnamed.values()].filter((order) => order !== undefined);

/**
 * A search that took so long has read the list to its end, or back to what was known. What was placed since it began may
 * be missing. Its time is that of the orders, and no later than `now` by the service's clock, where that is known: a
 * single order of a clock that runs ahead would make all others look old.
 */
export function completed(index: NameIndex, tookMs: number, now = Number.POSITIVE_INFINITY): void {
	if (index.newest !== undefined) index.wholeUntil = Math.min(index.newest, now) - tookMs;
}

/** Orders of an earlier time are known, in whatever order they appeared. */
export const knownBefore = ({ wholeUntil }: NameIndex): number | undefined =>
	wholeUntil === undefined ? undefined : wholeUntil - APPEARS_AFTER_MS;

/** Whether an order is certainly older. One without a time is not. */
export const isOlder = ({ created_at }: Item, before: number): boolean => (instantOf(created_at) ?? Infinity) < before;
