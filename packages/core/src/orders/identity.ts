import { createHash } from 'node:crypto';
import type { CommandAction } from '../catalogue';
import type { Accepted } from '../wire/request';

/** Changing how identities are made would make second orders of intents begun before, so the way has a version. */
const VERSION = 'v2';

export interface IntentName {
	action: CommandAction;
	/** The business key, or the host's own name for this run of this node on this item. */
	intent: string;
}

/**
 * The one key of an intent, the same wherever and whenever it is derived. The payload is no part of it, or a changed
 * payload would become a second order; nor is the API key, or a rotated key would; nor the environment, which is a label
 * that a person may correct while an order is under way.
 */
export function intentKey({ action, intent }: IntentName): string {
	const hex = digestOf([VERSION, action, intent]);
	// Version 8 of RFC 9562 is the UUID whose bits are the maker's own.
	const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
	return [
		hex.slice(0, 8),
		hex.slice(8, 12),
		`8${hex.slice(13, 16)}`,
		variant + hex.slice(17, 20),
		hex.slice(20, 32),
	].join('-');
}

/** Places the identity where the service looks for it: what the user chose stays, the rest is the key. */
export function identify(accepted: Accepted, key: string, hasClientOrderId: boolean): Accepted {
	const chosen = accepted.idempotency_key ?? key;
	const identified: Accepted = { ...accepted, idempotency_key: chosen };
	if (hasClientOrderId) identified.client_order_id = accepted.client_order_id ?? chosen;
	return identified;
}

/** Tells payloads apart without keeping them. */
export const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
