import { operationOf, orderNames, type Operation, type OperationId, type Options } from '../catalogue';
import { ExchangeError } from '../errors';
import { spelling } from '../input/input';
import { digestOf, intentKey, traceOf } from '../wire/intent-key';
import type { Item } from '../wire/payload';
import type { Accepted } from '../wire/request';
import { intentNameOf } from './log/evidence';

/** Whether somebody named the order, so that the name, and not the run or the message, tells it from another one. */
export const isNamed = (
	input: Readonly<Record<string, unknown>>,
	{ business_key }: Pick<Options, 'business_key'>,
): boolean => [business_key, ...orderNames.map((name) => input[name])].some((name) => name !== undefined);

/** The error of an order that was not placed, because another one was placed under its name, which nobody chose. */
export const nameTaken = (
	{ label }: Operation,
	{ order_id, client_order_id }: Item,
	why: { what: string; advice: string; field?: string },
): ExchangeError =>
	new ExchangeError('conflict', {
		operation: label,
		...why,
		details: { order_id: String(order_id), client_order_id: String(client_order_id) },
	});

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
	trace === undefined || intentNameOf(String(trace)) === key ? String(trace ?? key) : `${key}_${String(trace)}`;

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
	return digestOf([id, alike, name === undefined ? null : intentNameOf(String(name))]);
}
