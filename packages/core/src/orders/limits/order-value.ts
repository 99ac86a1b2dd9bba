import { finality } from '../../catalogue';
import { add, compare, isDecimal, multiply, subtract } from '../../decimal';
import { firstWithin, textOf, type Item } from '../../wire/payload';

/** An amount below zero would make room for more. */
const amountOf = (value: unknown): string | undefined =>
	isDecimal(value) && !value.startsWith('-') ? value : undefined;

export const isMarket = (order: Item): boolean => textOf(order, 'order_type')?.toLowerCase() === 'market';

/**
 * What an order is worth in the quote currency: quantity times price, whatever became of it; of a market order, what
 * was filled, and the price of the moment for what is not. Undefined when the order does not show it.
 */
export function valueOf(order: Item, price?: string): string | undefined {
	const quantity = amountOf(order.quantity);
	if (!isMarket(order)) return product(quantity, amountOf(order.price)) ?? product(quantity, price);
	const done = filledValue(order);
	if (done !== undefined && finality(textOf(order, 'status') ?? '') === 'final') return done;
	if (done === undefined || quantity === undefined) return product(quantity, price);
	const open = subtract(quantity, amountOf(order.filled_quantity) ?? '0');
	const rest = product(compare(open, '0') > 0 ? open : '0', price);
	return rest === undefined ? undefined : add(done, rest);
}

function filledValue(order: Item): string | undefined {
	const filled = amountOf(order.filled_quantity);
	return filled !== undefined && compare(filled, '0') === 0 ? '0' : product(filled, amountOf(order.avg_fill_price));
}

const product = (quantity: string | undefined, price: string | undefined): string | undefined =>
	quantity === undefined || price === undefined ? undefined : multiply(quantity, price);

/** Names of a ticker's prices, which the interface does not show. What is asked comes first, being the highest. */
const priceNames = ['best_ask', 'ask_price', 'ask', 'last_price', 'last', 'price', 'best_bid', 'bid_price', 'bid'];

/** A price of the moment, from a ticker. */
export const priceIn = (ticker: unknown): string | undefined =>
	amountOf(firstWithin((ticker ?? {}) as Item, priceNames, ['ticker', 'data']));
