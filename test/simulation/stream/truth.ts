import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { listen, logKey } from '../../../packages/sandbox/src/engine/events';
import { bookRecord } from '../../../packages/sandbox/src/engine/records';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import { OWN, PAIR } from './story';

/** Everything that really happened, whether or not it was delivered. Read from the engine itself. */
export interface Truth {
	/** By order: all its states, with times. */
	orders: Map<string, OrderState[]>;
	/** By sequence number: the book, and the time from which it was valid. */
	books: Map<number, { at: number; levels: string }>;
	fills(): readonly { id: string; at: number; orderId: string; quantity: bigint }[];
	trades(): readonly { id: string; at: number; sequence: number }[];
	transactions(): { id: string; status: string; createdAt: number; updatedAt: number }[];
	/** The available balance of the account, in hundredths. */
	available(currency: string): bigint;
	/** The step from one sequence number of a book to the next. */
	bookStride: number;
	/** The current book. */
	book(): { sequence: number; levels: string };
	order(id: string): Order | undefined;
}

interface OrderState {
	at: number;
	/** As delivered to a host. */
	key: string;
	/** The key with price and quantity, which only an amendment changes. */
	identity: string;
	status: string;
	replacedBy: string | null;
	filled: bigint;
}

const LEVELS_MAX = 1_000;

export const BOOK = 'orderbook.USD_NGN';
export const TRADES = 'trades.USD_NGN';

export function watchTruth({ engine }: Exchange, now: () => number, bookStride = 1): Truth {
	const { state, events } = engine;
	const market = state.markets.get(PAIR)!;
	const account = state.accounts.get(OWN)!;
	const orders: Truth['orders'] = new Map();
	const books: Truth['books'] = new Map();
	const book = () => {
		const { sequence, ...levels } = bookRecord(market, state.now, LEVELS_MAX);
		return { sequence: sequence * bookStride, levels: levelsText(levels) };
	};
	books.set(0, { at: now(), levels: book().levels });
	listen(events, BOOK, () => {
		const { sequence, levels } = book();
		books.set(sequence, { at: state.now, levels });
	});
	listen(events, logKey('user.orders', OWN), ({ data }) => {
		const order = state.orders.get((data as { id: string }).id)!;
		const states = orders.get(order.id) ?? [];
		orders.set(order.id, [...states, stateOf(order, state.now, data)]);
	});
	return {
		orders,
		books,
		fills: () => account.fills,
		trades: () => market.trades,
		transactions: () => account.transactions.map((id) => state.transactions.get(id)!),
		available: (currency) => account.holdings.get(currency)!.available,
		bookStride,
		book,
		order: (id) => state.orders.get(id),
	};
}

/** The key of a correction also tells its terms and time. */
export const nameOf = (key: string): string => key.replace(/~.*$/, '');

/** The identity shared by a state and its event. */
export const identityOf = (key: string, data: unknown): string => {
	const { price, quantity } = data as { price: string; quantity: string };
	return `${nameOf(key)}|${price}x${quantity}`;
};

function stateOf({ id, status, filled, replacedBy }: Order, at: number, data: unknown): OrderState {
	const key = `order:${id}:${status}:${Number(filled) / 100}${replacedBy ? `:${replacedBy}` : ''}`;
	return { at, key, identity: identityOf(key, data), status, replacedBy, filled };
}

type Side = readonly { price: string; quantity: string }[];

/** One text per book, whatever delivered it. */
export const levelsText = ({ bids, asks }: { bids: Side; asks: Side }): string =>
	[bids, asks]
		.map((side) =>
			side
				.map(({ price, quantity }) => `${price}x${quantity}`)
				.sort()
				.join(' '),
		)
		.join(' | ');
