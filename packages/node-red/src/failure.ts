/** Errors on their way into Node-RED, which keeps message, code, stack and cause of them and shows all four to flows. */
import { ExchangeError, isExchangeError, type ErrorCode } from '@partner-exchange/core';

export interface Failure extends Error {
	code: ErrorCode;
	/** Facts a flow may branch on; nothing of a transport's error. */
	cause: Record<string, unknown>;
}

/** What `done` is called with. The name is empty because Node-RED puts it before the message people read. */
export function failureOf(error: unknown): Failure {
	const known = isExchangeError(error) ? error : unexpected(error);
	const failure = Object.assign(new Error(known.message), { code: known.code, cause: known.toJSON() });
	return Object.defineProperty(failure, 'name', { value: '' });
}

/** A defect of this package. Its text may hold anything, so only its kind is shown. */
function unexpected(error: unknown): ExchangeError {
	const kind = error instanceof Error ? error.constructor.name : typeof error;
	return new ExchangeError('malformed_response', {
		what: `Something unexpected happened inside the node (${kind})`,
		advice: 'Run it again; if it happens again, report it with the steps that lead to it',
	});
}
