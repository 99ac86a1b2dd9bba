import { timesInForce } from '../../catalogue';
import { equal, isDecimal } from '../../decimal';
import { isExchangeError, type ErrorCode } from '../../errors';
import { textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import type { LookupResult } from '../machine/state';

const words = ['pair_id', 'side', 'order_type'] as const;
const amounts = ['quantity', 'price'] as const;

/**
 * Whether an order matches the one that was asked for. A field the service does not show is no mismatch, and amounts
 * are compared by value: `1500` equals `1500.00`.
 */
export function isSameOrder(order: Item, sent: Accepted): boolean {
	return (
		words.every((name) => sameWord(textOf(order, name), sent[name])) &&
		sameTime(textOf(order, 'time_in_force'), sent.time_in_force) &&
		amounts.every((name) => sameAmount(order[name], sent[name]))
	);
}

const sameWord = (listed: string | undefined, sent: Accepted[string] | undefined): boolean =>
	listed === undefined || sent === undefined || listed.toLowerCase() === String(sent).toLowerCase();

/** Only documented words can differ: a service may show another one for the same thing. */
const sameTime = (listed: string | undefined, sent: Accepted[string] | undefined): boolean =>
	!timesInForce.some((word) => sameWord(listed ?? '', word)) || sameWord(listed, sent);

/** A market order is sent without a price and may be shown with any price. */
const sameAmount = (listed: unknown, sent: Accepted[string] | undefined): boolean =>
	sent === undefined || !isDecimal(listed) || !isDecimal(sent) || equal(listed, sent);

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
