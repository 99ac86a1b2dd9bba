import { oneName } from '../../input/value';
import { KEY_FIRST } from '../../wire/intent-key';
import { instantOf, textOf, type Item } from '../../wire/payload';
import { absenceMs, orderPolicy } from '../machine/policy';

/**
 * The rules that make "there is no such order" safe, because a wrong denial doubles somebody's order.
 *
 * 1. A request may arrive `lateArrivalMs` after its sender gave up, and its order may take `conclusiveMs` to show. Nothing
 *    is denied before both are over (`machine/policy.ts`).
 * 2. A reading proves only what was placed before it began. A caller that asks later waits for a later reading.
 * 3. A reading ends where many orders in a row need no reading (`SETTLED_IN_A_ROW`): they are older than all that may
 *    still appear among the known, and known themselves. In a list that is not known they are older than what was asked
 *    for, and such a reading proves nothing older.
 * 4. The time until which all is known is that of the orders, and no later than now by the clock of the service: a single
 *    order of a clock that runs ahead would make all others look old.
 * 5. An order that shows no time is never old, and a list in no order by time is read whole, or nothing is denied.
 * 6. A list that counts more orders than it shows, says that more follow, or answers its first page again, denies nothing.
 * 7. A list that shows open orders alone may hide those that are over, and is asked for each status. A service that
 *    takes no such filter denies nothing.
 * 8. What the log knows under a name is read by its ID. Where it is gone, everything is forgotten and read again.
 * 9. An order is another one only by what it shows: a whole name, or other terms. An order of the same terms that shows
 *    no name, or the beginning of this one, may be the order that is looked for, unless it is older than any request
 *    for it. A list that shows no name at all denies none.
 */

/** How late an order may appear in the list, behind newer orders that were shown before. */
export const APPEARS_AFTER_MS = absenceMs(orderPolicy());

/** What one list, read to its end, has to say for itself. */
export interface ListFacts {
	/** Whether all of the list was read, or what was not known. */
	isWhole: boolean;
	/** Whether the count of the list is that of all known orders, as for the plain list once all of it is known. */
	isKnown: boolean;
	/** How many orders the list itself counted when it was begun; 0 without such a count. */
	count: number;
	/** How many were shown, or are known. */
	rows: number;
	/** Whether a later page began as the first one, so that the service may ignore the offset. */
	repeats: boolean;
	/** Whether the last page says that more follow. */
	hasMore: boolean;
}

/** Why a list denies nothing, or `contradicted` where it is another one than was known; undefined where it denies. */
export function gapIn({ isWhole, isKnown, count, rows, repeats, hasMore }: ListFacts): string | undefined {
	if (repeats) return 'the list does not go on to a second page';
	if (isWhole && count > rows) return `the list counts ${count} orders and shows ${rows}`;
	if (isKnown && count > rows) return 'contradicted';
	return isWhole && hasMore ? 'the list says that more orders follow, and shows none' : undefined;
}

/** Whether an order is certainly older, which an order without a time never is. */
export const isOlder = ({ created_at }: Item, before: number): boolean => (instantOf(created_at) ?? Infinity) < before;

/** How far the log knows the orders, which `order-log.ts` says. */
interface Known {
	newest?: number;
	wholeUntil?: number;
}

/** Orders of an earlier time are known, in whatever order they appeared. */
export const knownBefore = ({ wholeUntil }: Known): number | undefined =>
	wholeUntil === undefined ? undefined : wholeUntil - APPEARS_AFTER_MS;

/** Notes that a search has read the list to its end, or back to what was known. It took `tookMs`. */
export function completed(log: Known, tookMs: number, now = Number.POSITIVE_INFINITY): void {
	if (log.newest !== undefined) log.wholeUntil = Math.min(log.newest, now) - tookMs;
}

/**
 * The part of a client order id that names its intent: the derived key it begins with, or else the whole. In lower
 * case, because a service may show it in another case.
 */
export function intentNameOf(clientOrderId: string): string {
	const name = oneName(clientOrderId).toLowerCase();
	return KEY_FIRST.exec(name)?.[1] ?? name;
}

/**
 * A derived key is recognized by its first 17 digits, 60 random bits, because a service may cut a name short, write it
 * without dashes, or put something before it. With other words behind it than a trace, it is the name of another order.
 */
const KEY_DIGITS = 17;
const KEY_LEFT = /([0-9a-f]{8})-?([0-9a-f]{4})-?(8[0-9a-f]{3})-?([89ab])[0-9a-f-]{0,16}(?:_[^]*)?$/;

/** All identities under which an order is found, by the name that it shows. */
export function namesIn(order: Item): string[] {
	const name = textOf(order, 'client_order_id');
	if (name === undefined || name === '') return [];
	const identity = intentNameOf(name);
	const left = KEY_FIRST.test(identity) ? undefined : KEY_LEFT.exec(identity)?.slice(1).join('');
	return left === undefined ? [identity] : [identity, left];
}

/** The identities under which an order is found that was sent with this name. A name that a person chose has no digits. */
export function identitiesSent(clientOrderId: string): string[] {
	const identity = intentNameOf(clientOrderId);
	if (!KEY_FIRST.test(identity)) return [identity];
	return [identity, identity.replaceAll('-', '').slice(0, KEY_DIGITS)];
}

/** Equal characters that are no coincidence: of a derived key, or of a chosen name, which a person may count up. */
const PART = { derived: 8, chosen: 16 } as const;

/** Whether a shown name may be what a service made of ours: none, a part of it, or it with something around. */
export function mayBecome(clientOrderId: string): (shown: string) => boolean {
	const name = oneName(clientOrderId).toLowerCase();
	const [least, mark] = KEY_FIRST.test(name) ? [PART.derived, name.slice(0, PART.derived)] : [PART.chosen, name];
	return (shown) => {
		const plain = shown.trim().toLowerCase();
		if (plain === '') return true;
		return (mark.length >= least && plain.includes(mark)) || (plain.length >= least && name.includes(plain));
	};
}

/** The orders that may be under a client order id, though they show something else in its place, or nothing. */
export function mayBeUnder(clientOrderId: unknown): (order: Item) => boolean {
	const [isSo, mayBe] = [isUnder(clientOrderId), mayBecome(String(clientOrderId))];
	return (order) => isSo(order) || mayBe(textOf(order, 'client_order_id') ?? '');
}

/** The orders under a client order id, in whatever form the service shows it. */
export function isUnder(clientOrderId: unknown): (order: Item) => boolean {
	const sent = identitiesSent(String(clientOrderId));
	return (order) => namesIn(order).some((name) => sent.includes(name));
}
