import { ExchangeError } from '../errors';
import type { Outcome } from './state';

export interface IntentFacts {
	label: string;
	key: string;
	clientOrderId?: string;
	attempts: number;
}

/** What the caller is told when it was not accepted. Unknown says what is known, what was tried and what to do. */
export function outcomeError(
	outcome: Exclude<Outcome, { is: 'accepted' }>,
	{ label, key, clientOrderId, attempts }: IntentFacts,
): ExchangeError {
	if (outcome.is === 'refused') return outcome.unseen ? unseenError(outcome.error, label) : outcome.error;
	const details = {
		...(clientOrderId === undefined ? {} : { client_order_id: clientOrderId }),
		idempotency_key: key,
		attempts,
	};
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
		what: `It may or may not have been done: ${tries(attempts)}, and reading did not settle it${error ? ` (last: ${error.code})` : ''}`,
		advice:
			clientOrderId === undefined
				? 'Read the order to see what became of it, or run the same step again: it keeps its identity'
				: 'Do not place it as a new order: settle it with Resolve Order and this client order ID, or run the same step again, which keeps its identity',
		details: { ...details, ...(error ? { cause: error.code } : {}) },
	});
}

function tries(attempts: number): string {
	if (attempts === 0) return 'an earlier run sent it';
	return attempts === 1 ? 'it was sent once' : `the same request was sent ${attempts} times`;
}

/** Nothing was sent, and nothing is said about what an earlier run under the same business key has done. */
const unseenError = (error: ExchangeError, label: string): ExchangeError =>
	new ExchangeError(error.code, {
		operation: label,
		status: error.status,
		what: `An order under this business key is looked for first, and that failed (${error.summary})`,
		advice: `${error.advice}; this run sent nothing`,
	});
