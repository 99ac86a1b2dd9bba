import type { Account } from '../account';
import { tell } from '../background';
import type { CallContext } from '../context';
import { withTexts, ExchangeError } from '../errors';
import { excerpt, redact, type Hide } from '../redaction';
import { changedError, inWordsOf } from './words';
import type { Operation } from '../catalogue';

/** What leaves a client for whoever called it. Nothing of it holds the API key, which the service may echo in any text. */
interface Redaction {
	/**
	 * The context of a call, with the key removed from warnings, which may quote the service. A `warn` or `progress` that
	 * fails changes nothing of the call.
	 */
	context<C extends CallContext>(context: C): C;
	error(error: unknown): unknown;
}

export function createRedaction(account: Account, isForm: boolean): Redaction {
	const { apiKey } = account;
	const inWords = inWordsOf(account, isForm);
	return {
		context: (context) => {
			const { warn, progress } = context;
			if (!warn && !progress) return context;
			return {
				...context,
				...(warn ? { warn: ({ kind, text }) => tell(() => warn({ kind, text: excerpt(text, apiKey) })) } : {}),
				...(progress ? { progress: (step) => tell(() => progress(step)) } : {}),
			};
		},
		error: (error) => errorWithoutKey(inWords(error), apiKey),
	};
}

/** The error with the key hidden in each of its texts. */
export const errorWithoutKey = (error: unknown, apiKey: string | undefined): unknown =>
	changedError(error, (facts) => withTexts(facts, (text) => redact(text, apiKey)));

/**
 * Refuses a value that holds the key or the control token. It would be hidden in every answer, so that an order of this
 * name could not be told from others, and a journal would keep it.
 */
export function assertNoSecret(operation: Operation, given: Readonly<Record<string, unknown>>, hide: Hide): void {
	for (const field of Object.keys(given)) {
		const value = given[field];
		const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
		if (hide(text) === text) continue;
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field,
			what: `${operation.input[field]?.label ?? field} (${field}) holds the key or the control token of the account`,
			advice: 'Use another value: secrets are hidden wherever they appear; nothing was sent',
		});
	}
}
