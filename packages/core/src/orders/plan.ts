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
	/** What goes on the wire, identity included. */
	fields: Accepted;
	key: string;
	clientOrderId?: string;
	/**
	 * Whether the name holds beyond this run: a business key, or an identity the caller gave, may be in use elsewhere or
	 * have been used before a crash.
	 */
	isShared: boolean;
	context: CallContext;
}

/** Gives a write the identity of its intent: the business key names it, or else the host's name for this run. */
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
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value));

const HIDDEN = '[hidden]';

/** What a dry run shows: everything that would go out, except the key. */
export function preview({ id, operation, fields }: Plan, account: Account): Item {
	const action = commandOf(operation);
	if (action) {
		// Every transmission draws a request_id of its own.
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
