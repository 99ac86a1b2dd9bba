import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { listen, logKey } from '../../../packages/sandbox/src/engine/events';
import { bookRecord } from '../../../packages/sandbox/src/engine/records';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import { OWN, PAIR } from './story';

/** Everything that really happened, whatever anybody heard of it. Looked up in the engine itself. */
export interface Truth {
	/** By order: every state it was in, with its time. */
	orders: Map<string, OrderState[]>;
	/** By sequence: what the book was, and from when on. */
	books: Map<number, { at: number; levels: string }>;
	fills(): readonly { id: string; at: number; orderId: string; quantity: bigint }[];
	trades(): readonly { id: string; at: number; sequence: number }[];
	transactions(): { id: string; status: string; createdAt: number; updatedAt: number }[];
	/** What the account can spend, in hundredths. */
	available(currency: string): bigint;
	/** From one sequence of a book to the next. */
	bookStride: number;
	/** The book as it is. */
	book(): { sequence: number; levels: string };
	order(id: string): Order | undefined;
}

interface OrderState {
	at: number;
	/** As a host is told of it. */
	key: string;
	/** The key with price and quantity, which an amendment changes alone. */
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

/** The same for a state and for the event that tells it, whose key counts how often the service corrected itself. */
export const identityOf = (key: string, data: unknown): string => {
	const { price, quantity } = data as { price: string; quantity: string };
	return `${key.replace(/~\d+$/, '')}|${price}x${quantity}`;
};

function stateOf({ id, status, filled, replacedBy }: Order, at: number, data: unknown): OrderState {
	const key = `order:${id}:${status}:${Number(filled) / 100}${replacedBy ? `:${replacedBy}` : ''}`;
	return { at, key, identity: identityOf(key, data), status, replacedBy, filled };
}

type Side = readonly { price: string; quantity: string }[];

/** One text for one book, whatever carried it. */
export const levelsText = ({ bids, asks }: { bids: Side; asks: Side }): string =>
	[bids, asks]
		.map((side) =>
			side
				.map(({ price, quantity }) => `${price}x${quantity}`)
				.sort()
				.join(' '),
		)
		.join(' | ');
