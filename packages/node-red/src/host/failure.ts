/** Errors for Node-RED, which keeps their message, code, stack and cause and shows all four to flows. */
import { ExchangeError, isExchangeError, type ErrorCode } from '@partner-exchange/core';

export interface Failure extends Error {
	code: ErrorCode;
	/** Details a flow may branch on; contains nothing of a transport error. */
	cause: Record<string, unknown>;
}

/**
 * Converts an error to the argument of `done`. Its name is empty, because Node-RED would put the name before the
 * message.
 */
export function failureOf(error: unknown): Failure {
	const known = isExchangeError(error) ? error : unexpected(error);
	const failure = Object.assign(new Error(known.message), { code: known.code, cause: printable(known.toJSON()) });
	return Object.defineProperty(failure, 'name', { value: '' });
}

/** The debug sidebar converts the cause to a string, which would be "[object Object]". */
const printable = <Details extends object>(details: Details): Details =>
	Object.defineProperty(details, 'toString', { value: () => JSON.stringify(details) });

/** A defect of this package. The message may contain anything, a key too, so only the type of the error is shown. */
function unexpected(error: unknown): ExchangeError {
	const kind = error instanceof Error ? error.constructor.name : typeof error;
	return new ExchangeError('malformed_response', {
		what: `Something unexpected happened inside the node (${kind})`,
		advice: 'Run it again; if it happens again, report it with the steps that lead to it',
	});
}
