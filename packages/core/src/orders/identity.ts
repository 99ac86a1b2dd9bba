import { operationOf, type Operation, type OperationId, type Options } from '../catalogue';
import { ExchangeError } from '../errors';
import { spelling } from '../input/input';
import { oneName } from '../input/value';
import { digestOf, intentKey, KEY_FIRST, traceOf } from '../wire/intent-key';
import { textOf, type Item } from '../wire/payload';
import type { Accepted } from '../wire/request';

/**
 * Adds the identity to the fields where the service expects it: values the user chose stay, the others become the key.
 */
export function identify(accepted: Accepted, key: string, hasClientOrderId: boolean): Accepted {
	const chosen = accepted.idempotency_key ?? key;
	const identified: Accepted = { ...accepted, idempotency_key: chosen };
	if (hasClientOrderId) identified.client_order_id = accepted.client_order_id ?? chosen;
	return identified;
}

/**
 * The identity under a business key. The key alone decides, because the other fields may differ in the next run. Behind
 * the key goes a client order id, or the business key itself, by which people know the order and its fills. There, a
 * service that cuts names short keeps what identifies the order.
 */
export function withIdentity(
	accepted: Accepted,
	businessKey: string,
	key: string,
	hasClientOrderId: boolean,
): Accepted {
	const identified: Accepted = { ...accepted, idempotency_key: key };
	if (hasClientOrderId) identified.client_order_id = traced(accepted.client_order_id ?? traceOf(businessKey), key);
	return identified;
}

const traced = (trace: Accepted[string] | undefined, key: string): string =>
	trace === undefined || identityOf(String(trace)) === key ? String(trace ?? key) : `${key}_${String(trace)}`;

/**
 * The part of a client order id that names its intent: the derived key it begins with, or else the whole. In lower
 * case, because a service may show it in another case.
 */
export function identityOf(clientOrderId: string): string {
	const name = oneName(clientOrderId).toLowerCase();
	return KEY_FIRST.exec(name)?.[1] ?? name;
}

/**
 * A derived key is recognized by its first 17 digits, 60 random bits, because a service may cut a name short, write it
 * without dashes, or put something before it. With other words behind it than a trace, it is the name of another order.
 */
const KEY_DIGITS = 17;
const KEY_LEFT = /([0-9a-f]{8})-?([0-9a-f]{4})-?(8[0-9a-f]{3})-?([89ab])[0-9a-f-]{0,16}(?:_[^]*)?$/;

/** The digits of the derived key in a name that is looked for; one that a person chose has none. */
function digitsOf(clientOrderId: string): string | undefined {
	const identity = identityOf(clientOrderId);
	return KEY_FIRST.test(identity) ? identity.replaceAll('-', '').slice(0, KEY_DIGITS) : undefined;
}

/** All identities under which an order is found that shows this name. */
export function identitiesShown(clientOrderId: string): string[] {
	const identity = identityOf(clientOrderId);
	const left = KEY_FIRST.test(identity) ? undefined : KEY_LEFT.exec(identity)?.slice(1).join('');
	return left === undefined ? [identity] : [identity, left];
}

/** The identities under which an order is found that was sent with this name. */
export const identitiesSent = (clientOrderId: string): string[] =>
	[identityOf(clientOrderId), digitsOf(clientOrderId)].filter((identity) => identity !== undefined);

/** This many equal characters are no coincidence: of a derived key, or of a chosen name, which a person may count up. */
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
export function mayBeNamed(clientOrderId: unknown): (order: Item) => boolean {
	const [isSo, mayBe] = [isNamed(clientOrderId), mayBecome(String(clientOrderId))];
	return (order) => isSo(order) || mayBe(textOf(order, 'client_order_id') ?? '');
}

/** The orders under a client order id, in whatever form the service shows it. */
export function isNamed(clientOrderId: unknown): (order: Item) => boolean {
	const [wanted, digits] = identitiesSent(String(clientOrderId));
	const begin = digits?.slice(0, 8);
	return (order) => {
		const name = textOf(order, 'client_order_id');
		if (name === undefined) return false;
		if (name === wanted || identityOf(name) === wanted) return true;
		// Asked of every order of a list, so most are told apart by the first digits.
		return begin !== undefined && name.toLowerCase().includes(begin) && identitiesShown(name).includes(digits!);
	};
}

/**
 * A longer name is refused, because the service would cut it and the order would not be found by it. (Interface, part
 * 6.)
 */
const CLIENT_ORDER_ID_LENGTH_MAX = 128;
/** A derived key with the underscore behind it. */
const KEY_LENGTH = 37;

/** Refuses what would give an order a second name beside its business key. */
export function assertOneName({ run, label }: Operation, accepted: Accepted, { business_key }: Options): void {
	if (run.via !== 'intent' || !business_key) return;
	const key = intentKey(run.kind, business_key);
	if (accepted.idempotency_key !== undefined && accepted.idempotency_key !== key)
		throw new ExchangeError('invalid_input', {
			operation: label,
			field: 'idempotency_key',
			what: 'An order takes an Idempotency Key or a Business Key, not both',
			advice: 'Leave the Idempotency Key out, because it is derived from the Business Key',
		});
	if (traced(accepted.client_order_id, key).length > CLIENT_ORDER_ID_LENGTH_MAX)
		throw new ExchangeError('invalid_input', {
			operation: label,
			field: 'client_order_id',
			what: 'Client Order ID is too long beside a Business Key, which adds a key of its own to it',
			advice: `Shorten it to ${CLIENT_ORDER_ID_LENGTH_MAX - KEY_LENGTH} characters, or leave it out`,
		});
}

/**
 * Tells the terms of an intent from other terms under the same name, however they are written: `10` and `10.00` are one
 * quantity. Fields that only trace an order are left out.
 */
export function termsDigest(id: OperationId, { client_order_id: name, ...terms }: Accepted): string {
	const { input } = operationOf(id);
	const alike = Object.entries(terms).map(([field, value]) => {
		const described = Object.hasOwn(input, field) ? input[field] : undefined;
		return [field, described ? spelling(described, value) : value];
	});
	return digestOf([id, alike, name === undefined ? null : identityOf(String(name))]);
}
