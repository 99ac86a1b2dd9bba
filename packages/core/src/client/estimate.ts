import { composedOf, type Operation } from '../catalogue';
import {
	add,
	averagePrice,
	compare,
	divide,
	isMultiple,
	isZero,
	multiply,
	neighbours,
	subtract,
	withoutZeros,
} from '../decimal';
import { ExchangeError } from '../errors';
import type { Item } from '../wire/payload';
import { levelsOf, type Level } from '../wire/records';
import type { Composing } from './contract';
import { availableIn, takeLevels, type Taken } from './funds';
import { currenciesOf, marketOf, marketsIn, rulesOf, type MarketRules } from './market-rules';
import { refusalsOf, type OrderTerms } from './order-rules';

/** Decimals of a percentage, rounded to the nearest, halves to even. */
const PERCENT_DECIMALS = 4;
/** Decimals of a quotient before it is rounded down to the step of the market. */
const QUOTIENT_DECIMALS = 30;
/** Levels of the book that are asked for on each side. */
const LEVELS_MAX = 1_000;

interface Wanted {
	pair_id: string;
	side: 'buy' | 'sell';
	order_type: string;
	price?: string;
	quantity?: string;
	quote_amount?: string;
}

/**
 * What an order would trade against the book of this moment, computed as the service matches: best price first, each at
 * the price of the book. Exact except for what is said to be rounded; fees are not documented and left out. (Interface,
 * part 6.)
 */
export async function estimateOrder(composing: Composing): Promise<Item> {
	const { operation, client, context } = composing;
	const wanted = composing.input as unknown as Wanted;
	assertOneAmount(operation, wanted);
	const [list, prices, balances] = composedOf(operation);
	const { signal, warn } = context;
	const { pair_id, side, order_type, price = null } = wanted;
	const [markets, book] = await Promise.all([
		client.call(list!, {}, { signal, warn }),
		client.call(prices!, { pair_id, levels: LEVELS_MAX }, { signal, warn }),
	]);
	const market = marketOf(operation, pair_id, marketsIn(markets as object)) ?? {};
	const rules = rulesOf(market);
	const offers = levelsOf(book, side === 'buy' ? 'asks' : 'bids');
	const levels = offers.filter((level) => crosses(level, wanted));
	const quantity = quantityOf(wanted, levels, rules);
	const taken = takeLevels(levels, quantity);
	const terms = { pair_id, order_type, quantity, ...(wanted.price === undefined ? {} : { price: wanted.price }) };
	const problems = problemsOf(operation, terms, rules);
	const isShort = price === null && compare(taken.quantity, quantity) < 0;
	if (isShort) problems.push(`The order book shows ${taken.quantity} of it, so a market order may leave the rest`);
	const chosen = context.options?.compare_balance === true;
	const funds = chosen
		? fundsOf(await client.call(balances!, {}, { signal, warn }), market, wanted, { quantity, taken, isShort })
		: {};
	if (funds.problem !== undefined) problems.push(funds.problem);
	return {
		pair_id,
		side,
		order_type,
		price,
		quantity,
		...pricesOf(offers, taken),
		total: taken.value,
		fillable_quantity: taken.quantity,
		left_over: leftOver(wanted, quantity, taken),
		available: funds.available ?? null,
		affordable: funds.affordable ?? null,
		problems,
	};
}

function assertOneAmount({ label }: Operation, { quantity, quote_amount }: Wanted): void {
	if ((quantity === undefined) !== (quote_amount === undefined)) return;
	throw new ExchangeError('invalid_input', {
		operation: label,
		field: 'quantity',
		what:
			quantity === undefined
				? 'Neither a quantity nor a quote amount is given'
				: 'A quantity and a quote amount are given',
		advice: 'Give one of them: a quantity in the base currency, or a quote amount in the quote currency',
	});
}

/** Whether a level of the other side is at the price of a limit order or better. */
const crosses = (level: Level, { side, price }: Wanted): boolean =>
	price === undefined || (side === 'buy' ? compare(level.price, price) <= 0 : compare(level.price, price) >= 0);

/** The quantity of the order, rounded down to the step of the market, and as it was written where it is a multiple. */
function quantityOf(wanted: Wanted, levels: readonly Level[], { quantityStep }: MarketRules): string {
	// A quotient has 30 decimals, and the zeros at its end would make an order that is refused.
	const quantity = wanted.quantity ?? withoutZeros(affordedBy(wanted, levels));
	const isValid = quantityStep === undefined || isMultiple(quantity, quantityStep);
	return isValid ? quantity : neighbours(quantity, quantityStep).below;
}

/** How much an amount of the quote currency trades: at the limit price, or level by level. */
function affordedBy({ quote_amount: amount, price }: Wanted, levels: readonly Level[]): string {
	if (price !== undefined) return divide(amount!, price, QUOTIENT_DECIMALS, 'down');
	let left = amount!;
	let quantity = '0';
	for (const level of levels) {
		const value = multiply(level.price, level.quantity);
		if (compare(value, left) > 0) return add(quantity, divide(left, level.price, QUOTIENT_DECIMALS, 'down'));
		left = subtract(left, value);
		quantity = add(quantity, level.quantity);
	}
	return quantity;
}

function pricesOf([best]: readonly Level[], { quantity, value, worst }: Taken): Item {
	const best_price = best?.price ?? null;
	if (best_price === null || isZero(quantity)) {
		return { best_price, avg_price: null, worst_price: null, slippage_percent: null };
	}
	const atBest = multiply(best_price, quantity);
	const difference = compare(value, atBest) >= 0 ? subtract(value, atBest) : subtract(atBest, value);
	return {
		best_price,
		avg_price: averagePrice(value, quantity),
		worst_price: worst,
		slippage_percent: divide(multiply(difference, '100'), atBest, PERCENT_DECIMALS, 'half_even'),
	};
}

/** What was asked for and the book does not give: of a quantity in the base currency, of an amount in the quote currency. */
const leftOver = ({ quantity: asked, quote_amount: amount }: Wanted, quantity: string, taken: Taken): string => {
	const left = asked === undefined ? subtract(amount!, taken.value) : subtract(quantity, taken.quantity);
	return compare(left, '0') < 0 ? '0' : left;
};

/** What the market would refuse, in the words of a refused order. */
function problemsOf({ label }: Operation, terms: OrderTerms, rules: MarketRules): string[] {
	if (isZero(terms.quantity)) return ['The quantity is zero after it was rounded down to the step of the market'];
	return refusalsOf(terms, rules, label).map(
		({ what, advice }) => `${what}. ${advice.replace('; nothing was sent', '')}`,
	);
}

/** Whether the balance covers the order. A limit buy needs its own price, whatever the book offers. */
function fundsOf(
	balances: unknown,
	market: Item,
	{ pair_id, side, price }: Wanted,
	{ quantity, taken, isShort }: { quantity: string; taken: Taken; isShort: boolean },
): { available?: string; affordable?: boolean; problem?: string } {
	const currencies = currenciesOf(market, pair_id);
	if (currencies === undefined)
		return { problem: 'The currencies of the pair are not shown, so no balance was compared' };
	const currency = side === 'sell' ? currencies.base : currencies.quote;
	const needed = side === 'sell' ? quantity : price === undefined ? taken.value : multiply(quantity, price);
	const available = availableIn(balances, currency);
	if (available === undefined) return { problem: `The balances show no available ${currency}` };
	if (compare(needed, available) > 0) {
		const problem = `The order needs ${needed} ${currency}, but only ${available} ${currency} is available`;
		return { available, affordable: false, problem };
	}
	// A quantity that is not in the book may cost anything, so its price is absent and not zero.
	return isShort && side === 'buy' ? { available } : { available, affordable: true };
}
