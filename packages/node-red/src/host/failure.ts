/** Errors for Node-RED, which keeps their message, code, stack and cause and shows all four to flows. */
import { ExchangeError, isExchangeError, type ErrorCode } from '@partner-exchange/core';
import { fieldInWords, inWords, type StatusText } from './status-words';

/**
 * The argument of `done`. It is no Error on purpose: of an Error that no Catch node took, the debug sidebar shows an
 * object in which the sentence is cut short; of anything else that has a text, it shows the text. Catch nodes get the
 * same four properties of both.
 */
export class Failure {
	/** Empty, because Node-RED would put the name before the message. */
	readonly name = '';
	readonly stack = new Error().stack;

	constructor(
		readonly message: string,
		readonly code: ErrorCode,
		/** Details a flow may branch on; contains nothing of a transport error. */
		readonly cause: Record<string, unknown>,
	) {}

	toString(): string {
		return this.message;
	}
}

/** What to do comes first, and whether an order stands: the debug sidebar shows 80 characters until it is opened. */
export function failureOf(error: unknown): Failure {
	const failure = isExchangeError(error) ? error : unexpected(error);
	const message = `${failure.advice}. ${failure.summary}.`;
	return new Failure(message, failure.code, printable({ ...failure.toJSON(), message }));
}

/** The field that is at fault where a stored checkpoint cannot be read. */
export const CHECKPOINT = 'checkpoint';

/** The status of a failure: its code, and the field at fault where there is one, as the form calls it. */
export function failedText(error: unknown): StatusText {
	const { code, cause } = failureOf(error);
	if (code === 'not_available' && cause.field === CHECKPOINT) return 'checkpoint lost';
	const field = typeof cause.field === 'string' ? fieldInWords(cause.field) : undefined;
	return field === undefined ? inWords(code) : `${inWords(code)} · ${field}`;
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
