import { operationOf, type IntentKind, type Operation, type OperationId } from '../catalogue';
import type { CallContext } from '../context';
import type { Accepted } from '../wire/request';
import { textOf } from '../wire/payload';
import { identify, intentKey } from './identity';
import type { Ports } from '../ports';

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
