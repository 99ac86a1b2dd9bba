import { options } from '../catalogue';
import type { Read } from '../context';
import { add, compare, isDecimal, multiply, subtract } from '../decimal';
import { ExchangeError } from '../errors';
import { currenciesOf } from './market-rules';
import { firstOf, itemsIn, orderIn, textOf, type Item } from '../wire/payload';
import { levelsOf, type Level } from '../wire/records';
import type { OrderTerms } from './order-rules';

/** The terms of an order that decide which funds it needs. Terms with an `order_id` replace that order. */
export interface FundedTerms extends OrderTerms {
	side?: string;
	order_id?: string;
}

/** The available funds an order needs. Fees are not documented, so they are left out. */
export interface RequiredFunds {
	currency: string;
	amount: string;
	/** How the amount was computed; begins the sentence of an error. */
	basis: string;
}

const { prices, replaced } = options.check_balance.alsoUses;

/** The funds an order needs, or the reason why they cannot be computed in advance. Makes at most one read. */
export async function requiredFunds(wanted: FundedTerms, market: Item, read: Read): Promise<RequiredFunds | string> {
	const currencies = currenciesOf(market, wanted.pair_id);
	if (currencies === undefined) return 'the currencies of the pair are not shown';
	const { side, quantity, price, order_id, pair_id } = wanted;
	if (order_id !== undefined)
		return fundsOfReplacement(wanted, currencies, orderIn(await read(replaced, { order_id })));
	if (side === 'sell') return { currency: currencies.base, amount: quantity, basis: 'The order needs' };
	const basis = price === undefined ? 'At the prices of this moment the order needs' : 'The order needs';
	const amount = price === undefined ? costIn(await read(prices, { pair_id }), quantity) : multiply(quantity, price);
	if (amount === undefined) return 'the order book does not show enough offers to say what a market order will cost';
	return { currency: currencies.quote, amount, basis };
}

/**
 * The funds a replacement needs beyond those the original order has locked. The interface does not say whether the new
 * quantity includes the filled part. The check assumes that it does: that needs less, so no order is refused wrongly.
 */
function fundsOfReplacement(
	{ quantity, price }: FundedTerms,
	currencies: { base: string; quote: string },
	order: Item | undefined,
): RequiredFunds | string {
	const [side, original, originalPrice] = ['side', 'quantity', 'price'].map((name) => textOf(order, name));
	const filled = order?.filled_quantity ?? '0';
	const isShown = isDecimal(original) && isDecimal(originalPrice) && isDecimal(filled) && price !== undefined;
	if (!isShown || (side !== 'buy' && side !== 'sell')) return 'the order to be replaced does not show what it holds';
	const value = (total: string, at: string): string => multiply(subtract(total, filled), side === 'sell' ? '1' : at);
	return {
		currency: side === 'sell' ? currencies.base : currencies.quote,
		amount: subtract(value(quantity, price), value(original, originalPrice)),
		basis: 'Beyond what the order holds already, its replacement needs',
	};
}

/** The cost of a quantity at the asks of the order book; undefined where the book does not hold that quantity. */
function costIn(book: unknown, quantity: string): string | undefined {
	const taken = takeLevels(levelsOf(book, 'asks'), quantity);
	return compare(taken.quantity, quantity) < 0 ? undefined : taken.value;
}

/** What the book gives for a quantity. */
export interface Taken {
	quantity: string;
	value: string;
	worst: string | null;
}

/** Takes a quantity level by level, the best price first, as far as the book goes. */
export function takeLevels(levels: readonly Level[], wanted: string): Taken {
	let taken: Taken = { quantity: '0', value: '0', worst: null };
	for (const { price, quantity } of levels) {
		const left = subtract(wanted, taken.quantity);
		if (compare(left, '0') <= 0) break;
		const part = compare(quantity, left) < 0 ? quantity : left;
		taken = { quantity: add(taken.quantity, part), value: add(taken.value, multiply(part, price)), worst: price };
	}
	return taken;
}

/**
 * Compares the need with the available funds and throws when they are too low. Returns the reason when they cannot be
 * compared.
 */
export function checkFunds(
	{ currency, amount, basis }: RequiredFunds,
	balances: unknown,
	{ pair_id }: FundedTerms,
	label: string,
): string | undefined {
	const available = availableIn(balances, currency);
	if (available === undefined) return `the balances show no single available ${currency}`;
	if (compare(amount, available) <= 0) return undefined;
	throw new ExchangeError('invalid_input', {
		operation: label,
		field: 'quantity',
		what: `${basis} ${amount} ${currency}, but only ${available} ${currency} is available`,
		advice: 'Lower the quantity or add funds; nothing was sent',
		details: { rule: 'available', pair_id, currency, needed: amount, available },
	});
}

/**
 * Only `available` can be spent; `total` includes locked funds. (Interface, part 2.) Two rows of a currency that differ, such
 * as of two sub-accounts, do not say which of them an order spends.
 */
export function availableIn(balances: unknown, currency: string): string | undefined {
	const rows = itemsIn(balances, 'balances').filter((item) => firstOf(item, ['currency', 'code']) === currency);
	const [available, ...others] = new Set(rows.map((row) => row.available));
	return others.length === 0 && isDecimal(available) ? available : undefined;
}
