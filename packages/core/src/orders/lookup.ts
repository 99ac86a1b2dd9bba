import { compare, isDecimal, subtract, equal, positiveDecimal } from '../decimal';
import {
	filledText,
	instantOf,
	isItem,
	isSameId,
	orderIdOf,
	textOf,
	type Item,
	plainWord,
	orderIn,
} from '../wire/payload';
import type { Accepted } from '../wire/request';
import { isUnder } from './log/evidence';
import { orderTypes, sides, timesInForce } from '../catalogue';
import { isExchangeError, type ErrorCode } from '../errors';
import type { LookupResult } from './machine/state';
import type { CallContext, Read } from '../context';

const clientOrderIdOf = (order: Item): string | undefined => textOf(order, 'client_order_id');

/** A link between orders. The list shows it in `replace`; the fields of a single order are not shown. (Interface, part 2.) */
const linkIn = (order: Item, name: string): string | undefined =>
	filledText(isItem(order.replace) ? order.replace[name] : undefined) ?? filledText(order[name]);

export const successorOf = (order: Item): string | undefined => linkIn(order, 'replaced_by_order_id');

/** The order that it took the place of. */
export const predecessorOf = (order: Item): string | undefined => linkIn(order, 'replaces_order_id');

/** Whether the order has a client order id that is neither ours nor the original's. */
function isStrange(order: Item, original: Item, { client_order_id }: Accepted): boolean {
	const name = clientOrderIdOf(order);
	return name !== undefined && name !== clientOrderIdOf(original) && !isUnder(client_order_id)(order);
}

/**
 * A successor may keep the client order id of the original. A foreign id is evidence of another writer only when the
 * original's is known.
 */
export const isNamedByOthers = (order: Item, original: Item, fields: Accepted): boolean =>
	clientOrderIdOf(original) !== undefined && isStrange(order, original, fields);

/** An order without our client order id is recognized by its price, which must be shown, and its quantity. */
export const isAsked = (order: Item, original: Item, fields: Accepted): boolean =>
	isDecimal(order.price) &&
	isReadable(order, fields) &&
	!isStrange(order, original, fields) &&
	fits(order, original, fields);

/** Whether the order shows the values that were asked for, by either reading of its quantity. What is not shown fits. */
export const fits = ({ price, quantity }: Item, original: Item, fields: Accepted): boolean =>
	isSameOrder({ price }, fields) && (!isDecimal(quantity) || isSameQuantity(quantity, original, fields));

/** The interface does not say whether a new quantity includes what was already filled, so both readings match. */
function isSameQuantity(quantity: string, original: Item, { quantity: sent }: Accepted): boolean {
	if (!isDecimal(sent)) return true;
	const { filled_quantity: filled } = original;
	const open = isDecimal(filled) ? subtract(sent, filled) : sent;
	return [sent, open].some((meant) => compare(quantity, meant) === 0);
}

/**
 * Whether the order may be the successor. The service may keep the client order id of the original, show no links, or
 * both; without an id of its own an order is told apart by price and quantity.
 */
export function mayBeSuccessor(order: Item, original: Item, fields: Accepted): boolean {
	if (isSameId(orderIdOf(order), fields.order_id) || isOlderThan(order, original)) return false;
	const replaces = predecessorOf(order);
	if (replaces !== undefined && !isSameId(replaces, fields.order_id)) return false;
	if (isUnder(fields.client_order_id)(order)) return true;
	if (isNamedByOthers(order, original, fields)) return false;
	const isOfOriginal = clientOrderIdOf(order) !== undefined && clientOrderIdOf(order) === clientOrderIdOf(original);
	return isOfOriginal || replaces !== undefined || (isAlike(order, original) && fits(order, original, fields));
}

/** A replacement changes neither the market nor the side. */
const isAlike = (order: Item, { pair_id, side, order_type }: Item): boolean =>
	isSameOrder(order, {
		...(typeof pair_id === 'string' && { pair_id }),
		...(typeof side === 'string' && { side }),
		...(typeof order_type === 'string' && { order_type }),
	});

/**
 * Whether the order existed before the original. An older order, such as one the original itself replaced, cannot be
 * the successor.
 */
function isOlderThan({ created_at }: Item, original: Item): boolean {
	const [at, since] = [instantOf(created_at), instantOf(original.created_at)];
	return at !== undefined && since !== undefined && at < since;
}

/**
 * Whether the order is the successor: by our client order id alone, or by a link or the original's id together with
 * matching price and quantity.
 */
export function isSuccessor(order: Item, original: Item, fields: Accepted): boolean {
	const replaces = predecessorOf(order);
	const [name, replacedName] = [clientOrderIdOf(order), clientOrderIdOf(original)];
	if (isUnder(fields.client_order_id)(order) && (replaces !== undefined || name !== replacedName)) return true;
	return (replaces !== undefined || (name !== undefined && name === replacedName)) && isAsked(order, original, fields);
}

/** The words that an order has for these. */
const orderWords = { side: sides, order_type: orderTypes, time_in_force: timesInForce } as const;

/**
 * Whether an order matches the one that was asked for. A field the service does not show is no mismatch, and neither is a
 * word that is not documented, which a service may show for the same thing. Amounts are compared by value: `1500` equals
 * `1500.00`.
 */
export function isSameOrder(order: Item, sent: Accepted): boolean {
	return (
		sameText(textOf(order, 'pair_id'), sent.pair_id) &&
		Object.entries(orderWords).every(([name, known]) => {
			const shown = textOf(order, name);
			return sameText(shown, sent[name]) || !known.some((word) => sameText(shown, word));
		}) &&
		sameAmount(order.quantity, sent.quantity) &&
		sameAmount(order.price, sent.price)
	);
}

/** Whether the amounts that were sent can be compared. `-1`, `2,00` or an object may be any amount, so nothing is proved by it. */
export const isReadable = (order: Item, sent: Accepted): boolean =>
	['quantity', 'price'].every((name) => {
		const shown = order[name] ?? '';
		return sent[name] === undefined || shown === '' || (isDecimal(shown) && !shown.startsWith('-'));
	});

/** In whatever case and with whatever signs between: `usd-ngn` is the pair `USD/NGN`. */
export const sameText = (listed: string | undefined, sent: Accepted[string] | undefined): boolean =>
	listed === undefined || sent === undefined || plainWord(listed) === plainWord(String(sent));

/** A market order is sent without a price and may be shown with any price. Zero is no amount of an order. */
function sameAmount(listed: unknown, sent: Accepted[string] | undefined): boolean {
	const shown = positiveDecimal(listed);
	return sent === undefined || shown === undefined || !isDecimal(sent) || equal(shown, sent);
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

/** Reads one order by its ID. */
export const readOrder = async (read: Read, orderId: unknown, context: CallContext): Promise<Item | undefined> =>
	orderIn(await read('order.get', { order_id: orderId }, context));
