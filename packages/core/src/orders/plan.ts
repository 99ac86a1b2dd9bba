import { operationOf, type Operation, type OperationId } from '../catalogue';
import type { CallContext } from '../context';
import type { Accepted } from '../wire/request';
import { textOf } from '../wire/payload';
import { identify, intentKey } from './identity';
import type { Means } from './intents';

/** One intent with its identity, ready to be carried out. */
export interface Plan {
	id: OperationId;
	operation: Operation;
	/** What goes on the wire, identity included. */
	fields: Accepted;
	key: string;
	clientOrderId?: string;
	context: CallContext;
}

/** Gives a write the identity of its intent: the business key names it, or else the host's name for this run. */
export function planOf(id: OperationId, accepted: Accepted, context: CallContext, { account, ports }: Means): Plan {
	const operation = operationOf(id);
	const action = operation.command ?? 'order_create';
	const intent = context.options?.business_key || context.intent || ports.newId();
	const derived = intentKey({ environment: account.environment, action, intent });
	const fields = identify(accepted, derived, 'client_order_id' in operation.input);
	return {
		id,
		operation,
		fields,
		key: String(fields.idempotency_key),
		clientOrderId: textOf(fields, 'client_order_id'),
		context,
	};
}
