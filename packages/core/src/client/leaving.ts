import type { Account } from '../account';
import { tell } from '../background';
import type { CallContext } from '../context';
import { withTexts } from '../errors';
import { excerpt, redact } from '../redaction';
import { changedError, inWordsOf } from './words';

/** What leaves a client for whoever called it. Nothing of it holds the API key, which the service may echo in any text. */
export interface Leaving {
	/**
	 * The context of a call, with the key removed from warnings, which may quote the service. A `warn` or `progress` that
	 * fails changes nothing of the call.
	 */
	context<C extends CallContext>(context: C): C;
	call<T>(answer: Promise<T>): Promise<T>;
	items<T>(items: AsyncGenerator<T>): AsyncGenerator<T>;
}

export function leavingClient(account: Account, isForm: boolean): Leaving {
	const { apiKey } = account;
	const inWords = inWordsOf(account, isForm);
	const told = (error: unknown): unknown =>
		changedError(inWords(error), (facts) => withTexts(facts, (text) => redact(text, apiKey)));
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
		call: (answer) => failingAs(answer, told),
		items: (items) => rowsFailingAs(items, told),
	};
}

/** The same answer, which fails with what `change` makes of its error. */
export const failingAs = <T>(answer: Promise<T>, change: (error: unknown) => unknown): Promise<T> =>
	answer.catch((error: unknown) => Promise.reject(change(error) as Error));

export async function* rowsFailingAs<T>(
	rows: AsyncGenerator<T>,
	change: (error: unknown) => unknown,
): AsyncGenerator<T> {
	try {
		yield* rows;
	} catch (error) {
		throw change(error);
	}
}
