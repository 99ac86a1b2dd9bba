import { type Operation, type Options, finality } from '../../catalogue';
import type { Accepted } from '../../wire/request';
import { textOf, type Item, filledText, isItem, isOneSpelling } from '../../wire/payload';
import { commaList } from '../../comma-list';
import { compare, multiply, readDecimal, add, isDecimal, isZero, positiveDecimal, subtract } from '../../decimal';
import { ExchangeError } from '../../errors';
import { recordNames } from '../../wire/records';

/** Refuses orders that the limits of the node do not allow. A limit that cannot be checked refuses as well. */
export async function enforceRiskLimits(
	operation: Operation,
	accepted: Accepted,
	options: Options,
	readOrder: () => Promise<Item | undefined>,
): Promise<void> {
	const refuse = (field: string, what: string): never => {
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field,
			what,
			advice: 'Change the order or this limit',
		});
	};
	limitQuantity(accepted, options.max_quantity, refuse);
	limitValue(accepted, options.max_notional, refuse);
	const pairs = pairsIn(options.allowed_pairs, refuse);
	if (pairs) limitPair(accepted.pair_id, pairs, refuse);
	const sides = options.allowed_sides ?? 'both';
	// A replacement names only an order, so the pair and the side are read from that order.
	const order = accepted.order_id !== undefined && (pairs || sides !== 'both') ? await readOrder() : undefined;
	if (pairs && accepted.order_id !== undefined) limitPair(textOf(order, 'pair_id'), pairs, refuse);
	if (sides === 'both') return;
	const side = accepted.side ?? textOf(order, 'side');
	if (side !== sides)
		refuse(
			'side',
			side === undefined
				? `Its side cannot be read, and only ${sides} is allowed`
				: `Side ${String(side)} is not allowed here, only ${sides}`,
		);
}

type Refuse = (field: string, what: string) => never;

function limitQuantity({ quantity }: Accepted, most: unknown, refuse: Refuse): void {
	const limit = limitOf('max_quantity', most, refuse);
	if (limit !== undefined && compare(String(quantity), limit) > 0)
		refuse('quantity', `Quantity ${String(quantity)} is above the maximum of ${limit}`);
}

function limitValue({ quantity, price }: Accepted, most: unknown, refuse: Refuse): void {
	const limit = limitOf('max_notional', most, refuse);
	if (limit === undefined) return;
	if (price === undefined)
		return refuse('price', `A market order has no price, so it cannot be held to the maximum value of ${limit}`);
	const value = multiply(String(quantity), String(price));
	if (compare(value, limit) > 0) refuse('quantity', `Its value of ${value} is above the maximum of ${limit}`);
}

function pairsIn(allowed: string | undefined, refuse: Refuse): readonly string[] | undefined {
	if (allowed === undefined) return undefined;
	const pairs = commaList(allowed);
	// A list that names no pair, such as an unresolved variable, must not lift the limit, so it is refused.
	return pairs.length > 0 ? pairs : refuse('allowed_pairs', 'The list of allowed pairs names no pair');
}

function limitPair(pair: unknown, allowed: readonly string[], refuse: Refuse): void {
	if (pair === undefined)
		refuse('pair_id', `The pair of the order cannot be read, and only ${allowed.join(', ')} is allowed`);
	// The pair of an order is the one that the service lists, however this list was typed.
	if (!allowed.some((each) => isOneSpelling(each, String(pair))))
		refuse('pair_id', `Pair ${String(pair)} is not allowed here, only ${allowed.join(', ')}`);
}

function limitOf(field: string, value: unknown, refuse: Refuse): string | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const limit = readDecimal(value);
	return 'reason' in limit ? refuse(field, `The limit ${limit.reason}`) : limit.text;
}

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
export function orderValue(order: Item, price?: string): string | undefined {
	// Where the service shows zero as the quantity, the filled quantity is the least that it can have been.
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
	const texts = values.map((value) => filledText(isItem(value) ? value.price : value));
	// Zero, null or a word is no price. A number that cannot be read is one, and another price may be lower.
	return positiveDecimal(texts.find((price) => price !== undefined && !isZero(price)));
}
