import type { CallContext } from '../context';
import { ExchangeError, isExchangeError } from '../errors';
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
	const hide = (text: string): string => redact(text, apiKey);
	const text = JSON.stringify(error);
	if (hide(text) === text) return error;
	const { code, operation, field, status, retryAfterMs, advice } = error;
	const hidden = Object.entries(error.details).map(
		([name, value]) => [name, typeof value === 'string' ? hide(value) : value] as const,
	);
	return new ExchangeError(code, {
		what: hide(error.what),
		advice: hide(advice),
		...{ operation, field, status, retryAfterMs },
		...(error.serviceMessage ? { serviceMessage: hide(error.serviceMessage) } : {}),
		...(error.serviceCode ? { serviceCode: hide(error.serviceCode) } : {}),
		details: Object.fromEntries(hidden),
	});
}
