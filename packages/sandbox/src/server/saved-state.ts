import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { bookOf, emptyBook } from '../engine/book';
import { isResting } from '../engine/order-life';
import type { Order } from '../engine/order';
import type { State, StateView } from '../engine/state';

/** What is stored of a state. The fields of orders are named once; what follows from the orders is left empty. */
interface Stored {
	state: Omit<State, 'orders'>;
	fields: string[];
	rows: unknown[][];
}

/** Most of the bytes are orders that look alike, so the fastest level takes most of what there is to gain. */
const LEVEL = 1;

/** A state as bytes of the data file. */
export function writeState({ orders, accounts, markets, ...rest }: StateView): Uint8Array {
	const all = [...orders.values()];
	const fields = Object.keys(all[0] ?? {}) as (keyof Order)[];
	const stored = {
		state: {
			...rest,
			accounts: new Map([...accounts].map(([id, account]) => [id, { ...account, orders: [] }])),
			markets: new Map([...markets].map(([id, market]) => [id, { ...market, book: emptyBook(market.book.sequence) }])),
		},
		fields,
		rows: all.map((order) => fields.map((name) => order[name])),
	};
	return deflateRawSync(serialize(stored), { level: LEVEL });
}

export function readState(bytes: Uint8Array): State {
	const { state, fields, rows } = deserialize(inflateRawSync(bytes)) as Stored;
	const blank = blankOf(fields);
	const orders = rows.map((row) => orderOf(blank, row));
	const resting = new Map([...state.markets.keys()].map((pairId) => [pairId, [] as Order[]]));
	for (const order of orders) {
		const account = state.accounts.get(order.accountId);
		if (account && !account.internal) account.orders.push(order.id);
		if (isResting(order)) resting.get(order.pairId)?.push(order);
	}
	for (const [pairId, market] of state.markets) market.book = bookOf(resting.get(pairId) ?? [], market.book.sequence);
	return { ...state, orders: new Map(orders.map((order) => [order.id, order])) };
}

/**
 * An object that gets its twenty fields one by one becomes a hash table, of twice the size. Parsed as a whole it has the
 * compact layout, and so do its copies.
 */
function orderOf(blank: object, row: readonly unknown[]): Order {
	const order: Record<string, unknown> = { ...blank };
	let index = 0;
	for (const name in blank) order[name] = row[index++];
	return order as unknown as Order;
}

const blankOf = (fields: readonly string[]): object =>
	JSON.parse(JSON.stringify(Object.fromEntries(fields.map((name) => [name, null])))) as object;
