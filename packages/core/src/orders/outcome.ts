import { ExchangeError } from '../errors';
import { textOf } from '../wire/payload';
import type { Plan } from './plan';
import type { IntentState, Outcome } from './state';

/** What the caller is told when it was not accepted. Unknown says what is known, what was tried and what to do. */
export function outcomeError(
	outcome: Exclude<Outcome, { is: 'accepted' }>,
	plan: Plan,
	state: Pick<IntentState, 'attempts'>,
): ExchangeError {
	const { label } = plan.operation;
	if (outcome.is === 'refused') return outcome.unseen ? unseenError(outcome.error, label) : outcome.error;
	const details = { ...identityOf(plan), attempts: state.attempts };
	if (outcome.is === 'stopped') {
		return new ExchangeError('aborted', {
			operation: label,
			what: 'It was stopped before anything was sent',
			advice: 'Run it again when it is wanted',
			details,
		});
	}
	const { error } = outcome;
	return new ExchangeError('outcome_unknown', {
		operation: label,
		status: error?.status,
		serviceMessage: error?.serviceMessage,
		serviceCode: error?.serviceCode,
		what: outcome.unseen
			? `It may have been done before, and this run sent nothing: ${error?.summary ?? 'it could not be looked up'}`
			: `It may or may not have been done: ${tries(state.attempts)}, and no lookup could tell${error ? ` (last: ${error.code})` : ''}`,
		advice: adviceFor(plan),
		details: { ...details, ...(error ? { cause: error.code } : {}) },
	});
}

/** Only what is true wherever the error is read: a new run may or may not have the same identity, these words have. */
function adviceFor({ kind, clientOrderId }: Plan): string {
	if (kind === 'cancel') return 'Read the order to see whether it was cancelled before you cancel it again';
	const settle =
		clientOrderId === undefined
			? 'read the order list'
			: 'give the client_order_id and pair_id of this error to Resolve Order, which only reads';
	return `Do not place it as a new order: ${settle}. To go on with it, send it with the client_order_id and idempotency_key of this error, which are looked up first`;
}

/** What Resolve Order needs, and what sends the same intent once more: everything that went on the wire. */
function identityOf({ id, fields, context, key }: Plan): Record<string, string> {
	const told: Record<string, string> = { intent_operation: id };
	for (const name of Object.keys(fields)) {
		const value = textOf(fields, name);
		if (value !== undefined) told[name] = value;
	}
	const { business_key } = context.options ?? {};
	return { ...told, ...(business_key === undefined ? {} : { business_key }), idempotency_key: key };
}

function tries(attempts: number): string {
	if (attempts === 0) return 'an earlier run may have sent it';
	return attempts === 1 ? 'it was sent once' : `the same request was sent ${attempts} times`;
}

/** Nothing was sent, and nothing is said about what an earlier run under the same name has done. */
const unseenError = (error: ExchangeError, label: string): ExchangeError =>
	new ExchangeError(error.code, {
		operation: label,
		status: error.status,
		what: `An order under this name is looked for first, and that failed (${error.summary})`,
		advice: `${error.advice}; this run sent nothing`,
	});
