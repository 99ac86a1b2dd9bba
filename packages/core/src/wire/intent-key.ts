import { hash } from 'node:crypto';
import type { IntentKind } from '../catalogue';
import { textOf, type Item } from './payload';

/**
 * Version of the derivation. Another derivation would place open intents a second time, so a change needs a new
 * version.
 */
const VERSION = 'v2';

/**
 * The idempotency key of an intent, the same wherever and whenever it is derived. `intent` is the business key, or the
 * host's own name for this run of this node on this item. The key leaves out the payload, or a changed payload would
 * place a second order; the API key, or a rotated key would; and the environment, because a person may correct that
 * label while an order is in flight.
 */
export function intentKey(kind: IntentKind, intent: string): string {
	const hex = digestOf([VERSION, `order_${kind}`, intent]);
	// Version 8 of RFC 9562 is the UUID with application-defined bits.
	const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A derived key at the beginning of a client order id, alone or with a trace behind it. */
export const KEY_FIRST = /^([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})(?:_|$)/;

/** A business key of other characters, or a longer one, might be refused by a service as a part of a name. */
const TRACE = /^[\w.:-]{1,91}$/;

/** What a business key adds to the client order id; undefined where a service might not take it there. */
export const traceOf = (businessKey: string): string | undefined => (TRACE.test(businessKey) ? businessKey : undefined);

/** The intents whose order gets a name. */
const keyed = ['create', 'replace'] as const satisfies readonly IntentKind[];

/**
 * A record of an order or a fill with the business key the order was placed under, read from its client order id. It is
 * believed only where the key in front is derived from it, so another trace is never taken for one.
 */
export function withBusinessKey(record: Item): Item {
	const name = record.business_key === undefined ? textOf(record, 'client_order_id') : undefined;
	const key = name === undefined ? undefined : KEY_FIRST.exec(name)?.[1];
	const trace = key && name!.slice(key.length + 1);
	if (!trace || !keyed.some((kind) => intentKey(kind, trace) === key)) return record;
	return { ...record, business_key: trace };
}

/** Hash of a payload, to compare payloads without keeping them. */
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value));
