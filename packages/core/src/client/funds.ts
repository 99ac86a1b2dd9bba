import { compare, isDecimal, multiply } from '../decimal';
import { ExchangeError } from '../errors';
import { currenciesOf } from './market';
import { firstOf, itemsIn, type Item } from './reading';
import type { OrderTerms } from './rules';

/**
 * Holds an order against the funds that are free to spend. Answers why it could not be checked, if it could not. Fees
 * are not shown, so they are not counted.
 */
export function checkFunds(
	terms: OrderTerms & { side?: string },
	market: Item,
	balances: unknown,
	label: string,
): string | undefined {
	const currencies = currenciesOf(market, terms.pair_id);
	if (terms.side === undefined) return 'a replacement says no side, and the order it replaces already holds funds';
	if (currencies === undefined) return 'the currencies of the pair are not shown';
	const selling = terms.side === 'sell';
	if (!selling && terms.price === undefined) return 'what a market order will cost is not known before it is matched';
	const currency = selling ? currencies.base : currencies.quote;
	const needed = selling ? terms.quantity : multiply(terms.quantity, terms.price!);
	const available = availableIn(balances, currency);
	if (available === undefined) return `the balances show no available ${currency}`;
	if (compare(needed, available) <= 0) return undefined;
	throw new ExchangeError('invalid_input', {
		operation: label,
		field: 'quantity',
		what: `The order needs ${needed} ${currency} and ${available} ${currency} is available`,
		advice: 'Lower the quantity or add funds; nothing was sent',
		details: { rule: 'available', pair_id: terms.pair_id, currency, needed, available },
	});
}

/** What may be spent is `available`; `total` counts what is locked as well. (Interface, part 2.) */
function availableIn(balances: unknown, currency: string): string | undefined {
	const row = itemsIn(balances, 'balances').find((item) => firstOf(item, ['currency', 'code']) === currency);
	const available = row?.available;
	return isDecimal(available) ? available : undefined;
}
