import { operationOf, orderStatuses } from '../catalogue';
import type { CallContext, Read } from '../context';
import { eachItem } from '../wire/pages';
import { instantOf, itemsIn, orderIdOf, textOf, type Item } from '../wire/payload';
import { isExchangeError } from '../errors';
import type { Ports } from '../ports';

/** Orders looked through where the list shows the newest first, as an order just sent is among them. */
const NEWEST_ROWS = 1_000;
/** Orders looked through in any other list; finding nothing among them proves nothing about the rest. */
const ROWS_MAX = 10_000;

export interface Search {
	read: Read;
	ports: Pick<Ports, 'clock'>;
	context: CallContext;
}

export interface Wanted {
	clientOrderId: string;
	/** Narrows the list, where the service knows the filter. */
	pair?: string;
	/** Also ask for every status by name, in case the plain list leaves finished orders out. */
	thorough?: boolean;
}

export interface Sought {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Whether finding nothing means that there is nothing. */
	complete: boolean;
}

/** Looks for orders by their client order id. Throws if a page cannot be read: that is not the same as not found. */
export async function findOrders({ clientOrderId, pair, thorough }: Wanted, search: Search): Promise<Sought> {
	const matches = (item: Item): boolean => textOf(item, 'client_order_id') === clientOrderId;
	const plain = await scanPair(matches, pair, search);
	if (plain.orders.length > 0 || !thorough) return plain;
	for (const status of Object.keys(orderStatuses)) {
		const found = await scan(matches, { status }, search).catch(withoutFilter);
		if (found.orders.length > 0) return found;
	}
	return plain;
}

/** The name of the filter is ours, so a service that refuses it is asked without. */
async function scanPair(matches: (item: Item) => boolean, pair: string | undefined, search: Search): Promise<Sought> {
	if (pair === undefined) return scan(matches, {}, search);
	try {
		return await scan(matches, { pair_id: pair }, search);
	} catch (error) {
		if (!isExchangeError(error, 'refused') && !isExchangeError(error, 'not_found')) throw error;
		return scan(matches, {}, search);
	}
}

/** The list item of an order: it shows more than the order read alone is promised to. */
export async function findOrderById(id: string, search: Search): Promise<Item | undefined> {
	return (await scan((item) => orderIdOf(item) === id, {}, search)).orders[0];
}

/** A service that refuses the filter has said nothing about the order; the plain list has been read already. */
function withoutFilter(error: unknown): Sought {
	if (isExchangeError(error, 'refused') || isExchangeError(error, 'not_found')) return { orders: [], complete: true };
	throw error;
}

type Filter = Readonly<Record<string, unknown>>;

async function scan(
	matches: (item: Item) => boolean,
	filter: Filter,
	{ read, ports, context }: Search,
): Promise<Sought> {
	const list = operationOf('order.list');
	const found = new Map<string, Item>();
	const order = watchOrder();
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
function watchOrder() {
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
