import { orderTypes, sides, timesInForce } from '../../catalogue';
import { add, equal, isDecimal, positiveDecimal } from '../../decimal';
import { isExchangeError, type ErrorCode } from '../../errors';
import { plainWord, textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import type { LookupResult } from '../machine/state';

/** The words that an order has for these. */
const words = { side: sides, order_type: orderTypes, time_in_force: timesInForce } as const;

/**
 * Whether an order matches the one that was asked for. A field the service does not show is no mismatch, and neither is a
 * word that is not documented, which a service may show for the same thing. Amounts are compared by value: `1500` equals
 * `1500.00`.
 */
export function isSameOrder(order: Item, sent: Accepted): boolean {
	return (
		sameText(textOf(order, 'pair_id'), sent.pair_id) &&
		Object.entries(words).every(([name, known]) => {
			const shown = textOf(order, name);
			return !known.some((word) => sameText(shown ?? '', word)) || sameText(shown, sent[name]);
		}) &&
		(sameAmount(order.quantity, sent.quantity) || sameAmount(wholeOf(order), sent.quantity)) &&
		sameAmount(order.price, sent.price)
	);
}

/** In whatever case and with whatever signs between: `usd-ngn` is the pair `USD/NGN`. */
export const sameText = (listed: string | undefined, sent: Accepted[string] | undefined): boolean =>
	listed === undefined || sent === undefined || plainWord(listed) === plainWord(String(sent));

/** A market order is sent without a price and may be shown with any price. Nought is no amount of an order. */
function sameAmount(listed: unknown, sent: Accepted[string] | undefined): boolean {
	const shown = positiveDecimal(listed);
	return sent === undefined || shown === undefined || !isDecimal(sent) || equal(shown, sent);
}

/** The quantity of an order that shows in its place what is left of it. */
function wholeOf({ quantity, filled_quantity: filled }: Item): string {
	return isDecimal(quantity) && isDecimal(filled) ? add(quantity, filled) : String(quantity);
}

/** Errors that another read with the same key would repeat. */
const lasting: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'invalid_account', 'invalid_input'];

/** Turns a read that throws into a failed lookup, which never counts as finding nothing. */
export async function lookupResultOf(reading: () => Promise<LookupResult>): Promise<LookupResult> {
	try {
		return await reading();
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { is: 'failed', error, lasting: lasting.includes(error.code) };
	}
}
