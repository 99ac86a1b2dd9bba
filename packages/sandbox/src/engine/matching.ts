import { smaller } from './amounts';
import { bestLevel, crosses, levelsOf, openQuantity, opposite, reduceBest, type Book } from './book';
import type { Order } from './order';
import type { Settings } from './state';

export interface MatchingRules {
	selfTrade: Settings['selfTrade'];
	/** Executes a trade of this quantity at the maker's price. */
	trade(maker: Order, quantity: bigint, price: bigint): void;
	/** Cancels the taker's own resting order. */
	cancelOwn(maker: Order): void;
}

/** Trades an incoming order against the book, best price first, earliest first within a price. */
export function match(book: Book, taker: Order, rules: MatchingRules): 'done' | 'met_own_order' {
	const side = opposite(taker.side);
	let open = openQuantity(taker);
	for (let level = bestLevel(book, side); open > 0n && level; level = bestLevel(book, side)) {
		if (!crosses(taker.side, taker.price, level.price)) return 'done';
		const maker = level.queue[0] as Order;
		if (maker.accountId === taker.accountId) {
			if (rules.selfTrade === 'cancel_taker') return 'met_own_order';
			rules.cancelOwn(maker);
			continue;
		}
		const quantity = smaller(openQuantity(maker), open);
		open -= quantity;
		rules.trade(maker, quantity, level.price);
		reduceBest(book, side, quantity);
	}
	return 'done';
}

export interface Fillable {
	quantity: bigint;
	/** Sum of price times quantity, before rounding. */
	exactValue: bigint;
}

/** How much an order could take from other accounts now, by the same rules as `match`. */
export function fillable(book: Book, taker: Order, selfTrade: Settings['selfTrade']): Fillable {
	const wanted = openQuantity(taker);
	const result: Fillable = { quantity: 0n, exactValue: 0n };
	for (const level of levelsOf(book, opposite(taker.side))) {
		if (!crosses(taker.side, taker.price, level.price)) break;
		for (const maker of level.queue) {
			if (maker.accountId === taker.accountId) {
				if (selfTrade === 'cancel_taker') return result;
				continue;
			}
			const quantity = smaller(openQuantity(maker), wanted - result.quantity);
			result.quantity += quantity;
			result.exactValue += quantity * level.price;
			if (result.quantity === wanted) return result;
		}
	}
	return result;
}
