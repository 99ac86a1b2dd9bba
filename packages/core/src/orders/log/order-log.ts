import { operationOf } from '../../catalogue';
import type { ListShape } from '../../wire/list-shape';
import { identityOf, instantOf, type Item } from '../../wire/payload';
import { identitiesSent, mayBecome, namesIn } from './evidence';
import type { ReadOrders } from './page';

/** Orders that are known at most of all logs together: about 40 MB. A longer list is not read. */
export const LOG_ROWS_MAX = 250_000;

const listOperation = operationOf('order.list');

/**
 * What the order list of one account has shown to this process. Whatever reads the list enters each order here once,
 * and so only what is new in it is read again. `evidence.ts` says what the log proves, and when.
 */
export interface OrderLog {
	/** Order IDs by the client order ID, as it names an intent; nearly always one. */
	named: Map<string, string | Set<string>>;
	/** The others by their order ID, with what else tells them apart. */
	unnamed: Map<string, Item>;
	rows: number;
	/** The latest time of an order. */
	newest?: number;
	/** Every order of an earlier time is known. Undefined before the list was read whole. */
	wholeUntil?: number;
	/** Whether the plain list shows orders that are over. A list that never did may hide them. */
	showsFinal: boolean;
	/** By status, because each of these lists may have another order. */
	shapes: Map<string, ListShape>;
	/** A search of the whole list that was left before its end. */
	begun?: Search;
	/** The followers that get every order that anybody reads, and since when. */
	followers: Map<Follower, number>;
}

/** How far back a search goes. */
export interface Scope {
	beganAt: number;
	/** Orders of an earlier time need no reading. */
	settledBefore: number;
	/** Whether every older order is known, or will be. Otherwise it shows what was placed since then, and proves no more. */
	isWhole: boolean;
}

/** `isOpen`: the next look continues the search. `isContradicted`: the list is another one than was known. */
export interface SearchEnd {
	gap?: string;
	isOpen?: boolean;
	isContradicted?: boolean;
}

/** A search through the order list. It keeps its place, where a page cannot be read or everybody leaves. */
export interface Search extends Scope {
	/** How the look that is on it reads a page. */
	page: ReadOrders;
	/** How many orders there are, by the counts that it was shown. */
	count: number;
	/** The orders of the next page, or how it ended: without a gap every order was shown that is not settled. */
	next(): Promise<Item[] | SearchEnd>;
}

export interface Follower {
	see(orders: readonly Item[]): void;
	/** A reading that took `tookMs` has shown every order placed since `from`, by the clock of the orders. */
	covered(from: number, tookMs: number): void;
}

const nothingKnown = () => ({
	named: new Map<string, string | Set<string>>(),
	unnamed: new Map<string, Item>(),
	rows: 0,
	newest: undefined,
	wholeUntil: undefined,
	showsFinal: false,
	begun: undefined,
});

const emptyLog = (): OrderLog => ({ ...nothingKnown(), shapes: new Map(), followers: new Map() });

/** The list is another one than was known. */
export const forget = (log: OrderLog): void => void Object.assign(log, nothingKnown());

export function knows({ named, unnamed }: OrderLog, order: Item): boolean {
	const [[name], id] = [namesIn(order), identityOf(order, listOperation)];
	if (name === undefined) return unnamed.has(id);
	const ids = named.get(name);
	return typeof ids === 'object' ? ids.has(id) : ids === id;
}

/** Enters the orders of a page, and shows them to all that follow. */
export function enter(log: OrderLog, orders: readonly Item[]): readonly Item[] {
	for (const order of orders) {
		const at = instantOf(order.created_at);
		if (at !== undefined && at > (log.newest ?? Number.NEGATIVE_INFINITY)) log.newest = at;
		if (knows(log, order) || log.rows >= LOG_ROWS_MAX) continue;
		const [names, id] = [namesIn(order), identityOf(order, listOperation)];
		log.rows += 1;
		if (names.length === 0) log.unnamed.set(id, termsOf(order));
		for (const name of names) addName(log, name, id);
	}
	for (const follower of log.followers.keys()) follower.see(orders);
	return orders;
}

/** Whether the list has orders, and shows the name of none. */
export const hidesNames = ({ named, unnamed }: OrderLog): boolean => named.size === 0 && unnamed.size > 0;

function addName({ named }: OrderLog, name: string, id: string): void {
	const ids = named.get(name);
	if (typeof ids === 'object') ids.add(id);
	else named.set(name, ids === undefined ? id : new Set([ids, id]));
}

const TERMS = [
	...['id', 'order_id', 'client_order_id', 'pair_id', 'side', 'order_type'],
	...['quantity', 'price', 'time_in_force', 'created_at'],
];

/** What stays as it is of an order. */
export const termsOf = (order: Item): Item =>
	Object.fromEntries(TERMS.filter((term) => term in order).map((term) => [term, order[term]]));

/**
 * The IDs of the orders that may have a name, those that do first. An order that was replaced under its own name has
 * several.
 */
export function idsOf({ named }: OrderLog, clientOrderId: string): string[] {
	const mayBe = mayBecome(clientOrderId);
	const names = [...identitiesSent(clientOrderId), ...[...named.keys()].filter(mayBe)];
	const ids = names
		.map((name) => named.get(name))
		.flatMap((found) => (typeof found === 'object' ? [...found] : (found ?? [])));
	return [...new Set(ids)];
}

/** The logs of all lists, by address and key. A log that nobody has asked for the longest is forgotten first. */
export function createLogs(): (name: string) => OrderLog {
	const logs = new Map<string, OrderLog>();
	return (name) => {
		const log = logs.get(name) ?? emptyLog();
		logs.delete(name);
		logs.set(name, log);
		let rows = [...logs.values()].reduce((sum, other) => sum + other.rows, 0);
		for (const [oldest, other] of logs) {
			if (rows <= LOG_ROWS_MAX || oldest === name) break;
			logs.delete(oldest);
			rows -= other.rows;
		}
		return log;
	};
}
