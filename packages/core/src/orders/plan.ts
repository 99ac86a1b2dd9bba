import type { Account } from '../account';
import { commandOf, type IntentKind, type Operation, type OperationId, operationOf } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError } from '../errors';
import type { Ports } from '../ports';
import { type Item, textOf } from '../wire/payload';
import { type Accepted, buildRequest } from '../wire/request';
import { intentKey } from '../wire/intent-key';
import { identify, isNamed, termsDigest, withIdentity } from './identity';

/** One intent with its identity, ready to be carried out. */
export interface Plan {
	id: OperationId;
	operation: Operation;
	kind: IntentKind;
	/** The fields sent on the wire, identity included. */
	fields: Accepted;
	key: string;
	/** Tells the terms of the intent from others under the same key. */
	digest: string;
	clientOrderId?: string;
	/**
	 * Whether the key may be used outside this run: another process, or a run before a crash, may have used the
	 * business key or the identity the caller gave.
	 */
	readonly isShared: boolean;
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
	const { business_key } = context.options ?? {};
	const hasName = isNamed(accepted, { business_key });
	if (context.repeated && !context.intent && !hasName) throw nameless(operation);
	const hasClientOrderId = 'client_order_id' in operation.input;
	const fields = business_key
		? withIdentity(accepted, business_key, intentKey(run.kind, business_key), hasClientOrderId)
		: identify(accepted, intentKey(run.kind, context.intent || ports.newId()), hasClientOrderId);
	return {
		id,
		operation,
		kind: run.kind,
		fields,
		key: String(fields.idempotency_key),
		digest: termsDigest(id, fields),
		clientOrderId: textOf(fields, 'client_order_id'),
		isShared: run.kind !== 'cancel' && hasName,
		context,
	};
}

/** Under a fresh name no earlier run is found, so it would be placed a second time. */
const nameless = ({ label }: Operation): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: label,
		field: 'repeated',
		what: 'repeated needs a name under which an earlier run sent it',
		advice: 'Give the intent of that run, or a business_key; nothing was sent',
	});

/**
 * A cancel that was acknowledged and came to nothing. Under its first key the service may answer with the first
 * acknowledgement; another key risks nothing, because a cancel places no order.
 */
export const sentAgain = (plan: Plan, times: number): Plan => ({
	...plan,
	fields: { ...plan.fields, idempotency_key: intentKey(plan.kind, `${plan.key} again ${times}`) },
});

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
	const printed = Object.entries(headers).map(([name, value]) => [name, name === 'x-api-key' ? HIDDEN : value]);
	return {
		dry_run: true,
		request: { method, url, headers: Object.fromEntries(printed) as Item, body: JSON.parse(body ?? 'null') as unknown },
	};
}
