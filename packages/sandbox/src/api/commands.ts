import type { CommandAction, CommandErrorCode } from '@partner-exchange/core/catalogue';
import { fingerprintOf } from '../engine/idempotency';
import { invalid, Refusal, type RefusalKind } from '../engine/refusal';
import { knownFields, type Fields } from '../engine/order-request';
import type { KeyAccess } from '../engine/state';
import { requireKey } from './order-routes';
import { authorize } from './keys';
import type { SessionContext } from './session';

const access: Record<CommandAction, KeyAccess> = {
	order_create: 'orderCreate',
	order_cancel: 'orderExecute',
	order_replace: 'orderExecute',
};

const codes: Partial<Record<RefusalKind, CommandErrorCode>> = {
	unauthorized: 'UNAUTHORIZED',
	forbidden: 'FORBIDDEN',
	conflict: 'CONFLICT',
	rate_limited: 'RATE_LIMITED',
};

/** Runs an order command and acknowledges or refuses it under its request_id. (Interface, part 6.) */
export function runCommand(context: SessionContext, message: Fields, limited?: Refusal): void {
	const { request_id: requestId, action } = message;
	try {
		if (limited) throw limited;
		const data = executeCommand(context, message);
		context.send({ type: 'command_ack', request_id: requestId, action, data });
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		const code = codes[error.kind] ?? 'VALIDATION_FAILED';
		context.send({
			type: 'command_error',
			request_id: requestId ?? null,
			action: action ?? null,
			code,
			message: error.message,
		});
	}
}

function executeCommand({ exchange, session }: SessionContext, message: Fields): object {
	const { type, request_id: requestId, action, idempotency_key: givenKey, ...fields } = message;
	if (!session.caller)
		throw new Refusal('unauthorized', 'unauthorized', 'Order commands need a connection with a valid key.');
	// Checked for each command, because the key may have been deactivated after the connection was made.
	const caller = exchange.identify(session.caller.key.key);
	if (typeof requestId !== 'string' || requestId === '')
		throw invalid('request_id_required', 'A command needs a request_id.');
	if (!Object.hasOwn(access, action as string))
		throw invalid('unknown_action', `action must be one of ${Object.keys(access).join(', ')}.`);
	const kind = action as CommandAction;
	authorize(caller, access[kind]);
	const key = requireKey(givenKey ?? requestId);
	exchange.requireFree(caller.account, key);
	const fingerprint = fingerprintOf(kind, fields);
	return exchange.apply({ kind, accountId: caller.account.id, fields: knownFields(fields), key, fingerprint }).data;
}
