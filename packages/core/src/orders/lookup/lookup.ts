import { timesInForce } from '../../catalogue';
import { equal, isDecimal } from '../../decimal';
import { isExchangeError, type ErrorCode } from '../../errors';
import { orderIdOf, textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import type { OrderList, Wanted } from './list';
import { isRefused } from './list-reading';
import type { Seen } from './readings';
import type { LookupResult } from '../machine/state';

export interface LookupDependencies {
	list: OrderList;
	/** Stops waiting for the list. */
	signal?: AbortSignal;
}

export interface OrderQuery extends Pick<Wanted, 'matches' | 'name' | 'since'> {
	/** Narrows a look for a recent order, when the service supports the filter. */
	pair?: string;
	/** Finding nothing decides what is sent or reported next, so orders of any age are looked at. */
	isThorough?: boolean;
}

export interface FoundOrders {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Whether finding nothing proves that the order does not exist. */
	complete: boolean;
	/** The part of the list that could not be read, when the result is not complete. */
	gap?: string;
	/** The list has orders, and shows the name of none, so finding none under a name proves nothing. */
	hidesNames?: boolean;
}

/** Searches the order list. Throws if a page cannot be read: a failed read is not "not found". */
export async function findOrders(query: OrderQuery, { list, signal }: LookupDependencies): Promise<FoundOrders> {
	const { pair, isThorough = false, ...reader } = query;
	try {
		return toFound(await list.look({ ...reader, isThorough, ...(isThorough ? {} : { pair }) }, signal));
	} catch (error) {
		// The interface does not name this filter, so a service that refuses it is asked without it.
		if (isThorough || pair === undefined || !isRefused(error)) throw error;
		return toFound(await list.look({ ...reader, isThorough }, signal));
	}
}

/** The order as the list shows it: the interface promises more fields there than for the single order. */
export async function findOrderById(id: string, { list, signal }: LookupDependencies): Promise<Item | undefined> {
	const matches = (item: Item): boolean => orderIdOf(item) === id;
	return (await list.look({ matches, isThorough: false }, signal)).orders[0];
}

const toFound = ({ orders, facts }: Seen): FoundOrders => ({
	orders,
	complete: facts !== undefined && facts.gap === undefined,
	gap: facts?.gap,
	hidesNames: facts?.hidesNames,
});

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
