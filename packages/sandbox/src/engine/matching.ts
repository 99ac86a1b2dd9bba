import { smaller } from './amounts';
import { bestLevel, crosses, levelsOf, openQuantity, opposite, reduce, type Book, type Level } from './book';
import type { Order, Settings } from './state';

export interface MatchingRules {
	selfTrade: Settings['selfTrade'];
	/** Carries a trade out: the quantity is already agreed, the maker's price holds. */
	trade(maker: Order, quantity: bigint, price: bigint): void;
	/** Takes the taker's own resting order out of the way. */
	cancelOwn(maker: Order): void;
}

/** Trades an incoming order against the book, best price first, earliest first within a price. */
export function match(book: Book, taker: Order, rules: MatchingRules): 'done' | 'met_own_order' {
	const side = opposite(taker.side);
	for (
		let level = bestLevel(book, side);
		level && crosses(taker.side, taker.price, level.price);
		level = bestLevel(book, side)
	) {
		for (const maker of level.queue.values()) {
			if (maker.accountId === taker.accountId) {
				if (rules.selfTrade === 'cancel_taker') return 'met_own_order';
				rules.cancelOwn(maker);
				continue;
			}
			take(book, level, maker, smaller(openQuantity(maker), openQuantity(taker)), rules);
			if (openQuantity(taker) === 0n) return 'done';
		}
	}
	return 'done';
}

function take(book: Book, level: Level, maker: Order, quantity: bigint, rules: MatchingRules): void {
	rules.trade(maker, quantity, level.price);
	if (openQuantity(maker) === 0n) level.queue.delete(maker.place);
	reduce(book, maker.side, level, quantity);
}

export interface Fillable {
	quantity: bigint;
	/** Price times quantity over what could be taken, before rounding. */
	exactValue: bigint;
}

/** What an order could take right now from others, as matching itself would go about it. */
export function fillable(book: Book, taker: Order, selfTrade: Settings['selfTrade']): Fillable {
	const wanted = openQuantity(taker);
	const result: Fillable = { quantity: 0n, exactValue: 0n };
	for (const level of levelsOf(book, opposite(taker.side))) {
		if (!crosses(taker.side, taker.price, level.price)) break;
		for (const maker of level.queue.values()) {
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
