import { finality } from '../../catalogue';
import { add, compare, isDecimal, isZero, multiply, positiveDecimal, subtract } from '../../decimal';
import { filledText, isItem, textOf, type Item } from '../../wire/payload';
import { recordNames } from '../../wire/records';

/** An amount below zero would make room for more. */
const amountOf = (value: unknown): string | undefined =>
	isDecimal(value) && !value.startsWith('-') ? value : undefined;

export const isMarket = (order: Item): boolean => textOf(order, 'order_type')?.toLowerCase() === 'market';

/** The currency of an order's value, the second code of its pair; empty where the pair does not show it. */
export function quoteOf(pair: unknown): string {
	const codes = typeof pair === 'string' ? (pair.toUpperCase().match(/[A-Z0-9]+/g) ?? []) : [];
	return codes.length === 2 ? codes[1]! : '';
}

/**
 * What an order is worth in the quote currency: quantity times price, whatever became of it; of a market order, what
 * was filled, and the price of the moment for what is not. Undefined when the order does not show it.
 */
export function valueOf(order: Item, price?: string): string | undefined {
	// Where nought stands in place of the quantity, what was filled of it is the least that it can have been.
	const asked = amountOf(order.quantity);
	const quantity = asked !== undefined && isZero(asked) ? (positiveDecimal(order.filled_quantity) ?? asked) : asked;
	if (!isMarket(order)) return product(quantity, positiveDecimal(order.price)) ?? product(quantity, price);
	const done = filledValue(order);
	if (done !== undefined && finality(textOf(order, 'status') ?? '') === 'final') return done;
	if (done === undefined || quantity === undefined) return product(quantity, price);
	const open = subtract(quantity, amountOf(order.filled_quantity) ?? '0');
	const rest = product(compare(open, '0') > 0 ? open : '0', price);
	return rest === undefined ? undefined : add(done, rest);
}

function filledValue(order: Item): string | undefined {
	const filled = amountOf(order.filled_quantity);
	return filled !== undefined && isZero(filled) ? '0' : product(filled, positiveDecimal(order.avg_fill_price));
}

const product = (quantity: string | undefined, price: string | undefined): string | undefined =>
	quantity === undefined || price === undefined ? undefined : multiply(quantity, price);

/** What is asked comes first, being the highest; `ask: { price }` names a price too. */
const { best_ask, last_price, best_bid } = recordNames.ticker;
const priceNames = [...best_ask, ...last_price, ...best_bid];

/** A price of the moment, from a ticker: the first of the names that holds one. */
export function priceIn(ticker: unknown): string | undefined {
	const whole = isItem(ticker) ? ticker : {};
	const parts = [whole, whole.ticker, whole.data].filter(isItem);
	const values = priceNames.flatMap((name) => parts.map((part) => part[name]));
	const texts = values.map((value) => (isItem(value) ? filledText(value.price) : filledText(value)));
	return texts.map(positiveDecimal).find((price) => price !== undefined);
}
