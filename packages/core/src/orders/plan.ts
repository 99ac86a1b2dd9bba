import { hash } from 'node:crypto';
import type { Account } from '../account';
import {
	type CommandAction,
	commandOf,
	type IntentKind,
	type Operation,
	type OperationId,
	operationOf,
} from '../catalogue';
import type { CallContext } from '../context';
import type { Ports } from '../ports';
import { type Item, textOf } from '../wire/payload';
import { type Accepted, buildRequest } from '../wire/request';

/** One intent with its identity, ready to be carried out. */
export interface Plan {
	id: OperationId;
	operation: Operation;
	kind: IntentKind;
	/** The fields sent on the wire, identity included. */
	fields: Accepted;
	key: string;
	clientOrderId?: string;
	/**
	 * Whether the key may be used outside this run: another process, or a run before a crash, may have used the
	 * business key or the identity the caller gave.
	 */
	isShared: boolean;
	context: CallContext;
}

/** Plans a write: its identity is derived from the business key, or else from the host's name for this run. */
export function planOf(
	id: OperationId,
	accepted: Accepted,
	context: CallContext,
	{ ports }: { ports: Pick<Ports, 'newId'> },
): Plan {
	const operation = operationOf(id);
	const { run } = operation;
	if (run.via !== 'intent') throw new TypeError(`${id} is no order write`);
	const intent = context.options?.business_key || context.intent || ports.newId();
	const derived = intentKey({ action: `order_${run.kind}`, intent });
	const fields = identify(accepted, derived, 'client_order_id' in operation.input);
	return {
		id,
		operation,
		kind: run.kind,
		fields,
		key: String(fields.idempotency_key),
		clientOrderId: textOf(fields, 'client_order_id'),
		isShared:
			run.kind !== 'cancel' &&
			[context.options?.business_key, accepted.client_order_id, accepted.idempotency_key].some(
				(given) => given !== undefined,
			),
		context,
	};
}

/**
 * Version of the derivation. Another derivation would place open intents a second time, so a change needs a new
 * version.
 */
const VERSION = 'v2';

export interface IntentName {
	action: CommandAction;
	/** The business key, or the host's own name for this run of this node on this item. */
	intent: string;
}

/**
 * The idempotency key of an intent, the same wherever and whenever it is derived. It leaves out the payload, or a
 * changed payload would place a second order; the API key, or a rotated key would; and the environment, because a
 * person may correct that label while an order is in flight.
 */
export function intentKey({ action, intent }: IntentName): string {
	const hex = digestOf([VERSION, action, intent]);
	// Version 8 of RFC 9562 is the UUID with application-defined bits.
	const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Adds the identity to the fields where the service expects it: values the user chose stay, the others become the key.
 */
export function identify(accepted: Accepted, key: string, hasClientOrderId: boolean): Accepted {
	const chosen = accepted.idempotency_key ?? key;
	const identified: Accepted = { ...accepted, idempotency_key: chosen };
	if (hasClientOrderId) identified.client_order_id = accepted.client_order_id ?? chosen;
	return identified;
}

/** Hash of a payload, to compare payloads without keeping them. */
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value));

const HIDDEN = '[hidden]';

/** The output of a dry run: the whole request except the API key. */
export function preview({ id, operation, fields }: Plan, account: Account): Item {
	const action = commandOf(operation);
	if (action) {
		// The request_id is left out, because every transmission draws a new one.
		return {
			dry_run: true,
			command: { type: 'command', request_id: '[drawn when sent]', action, ...fields },
		};
	}
	const { method, url, headers, body } = buildRequest(id, operation, fields, account);
	const shown = Object.entries(headers).map(([name, value]) => [name, name === 'x-api-key' ? HIDDEN : value]);
	return {
		dry_run: true,
		request: { method, url, headers: Object.fromEntries(shown) as Item, body: JSON.parse(body ?? 'null') as unknown },
	};
}
