import type { CallContext } from '../context';
import { ExchangeError, factsIn, isExchangeError, withTexts } from '../errors';
import { excerpt, redact } from '../redaction';

/**
 * Removes the API key from everything a client returns for people to read, because the service may echo it in any field
 * or message.
 */
export interface WithoutKey {
	/** The context of a call, with the key removed from warnings, which may quote the service. */
	context<C extends CallContext>(context: C): C;
	call<T>(answer: Promise<T>): Promise<T>;
	items<T>(items: AsyncGenerator<T>): AsyncGenerator<T>;
}

export function withoutKey(apiKey: string): WithoutKey {
	const clean = (error: unknown): unknown => (isExchangeError(error) ? cleanError(error, apiKey) : error);
	return {
		context: (context) => {
			const { warn } = context;
			return warn ? { ...context, warn: ({ kind, text }) => warn({ kind, text: excerpt(text, apiKey) }) } : context;
		},
		call: (answer) => answer.catch((error: unknown) => Promise.reject(clean(error) as Error)),
		items: async function* (items) {
			try {
				yield* items;
			} catch (error) {
				throw clean(error);
			}
		},
	};
}

/** Returns the same error when it holds no secret, as nearly always. */
function cleanError(error: ExchangeError, apiKey: string): ExchangeError {
	const facts = factsIn(error);
	const clean = withTexts(facts, (text) => redact(text, apiKey));
	return JSON.stringify(clean) === JSON.stringify(facts) ? error : new ExchangeError(error.code, clean);
}
