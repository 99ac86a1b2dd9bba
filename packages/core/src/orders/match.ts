import type { Accepted } from '../wire/request';
import { textOf, type Item } from '../wire/payload';
import { equal, isDecimal } from '../decimal';

const words = ['pair_id', 'side', 'order_type'] as const;
const amounts = ['quantity', 'price'] as const;

/**
 * Whether an order is the one that was asked for. A field the service does not show cannot speak against it, and
 * amounts are compared by value: `1500` is `1500.00`.
 */
export function isSameOrder(order: Item, asked: Accepted): boolean {
	return (
		words.every((name) => sameWord(textOf(order, name), asked[name])) &&
		amounts.every((name) => sameAmount(order[name], asked[name]))
	);
}

const sameWord = (shown: string | undefined, asked: Accepted[string] | undefined): boolean =>
	shown === undefined || asked === undefined || shown.toLowerCase() === String(asked).toLowerCase();

/** A market order is asked for without a price and may be shown with any. */
const sameAmount = (shown: unknown, asked: Accepted[string] | undefined): boolean =>
	asked === undefined || !isDecimal(shown) || !isDecimal(asked) || equal(shown, asked);
