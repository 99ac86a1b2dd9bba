import { operationIds, operationOf, optionOf, type Fields, type Operation } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError, factsIn, isExchangeError, withTexts, type ErrorFacts } from '../errors';
import { excerpt, redact } from '../redaction';

/** What leaves a client for whoever called it. Nothing of it holds the API key, which the service may echo in any text. */
export interface Leaving {
	/** The context of a call, with the key removed from warnings, which may quote the service. */
	context<C extends CallContext>(context: C): C;
	call<T>(answer: Promise<T>): Promise<T>;
	items<T>(items: AsyncGenerator<T>): AsyncGenerator<T>;
}

/** With `isForm` errors name operations and fields as a form labels them, and otherwise as a script writes them, too. */
export function leavingClient(apiKey: string, isForm: boolean): Leaving {
	const clean = (text: string): string => redact(text, apiKey);
	const told = (error: unknown): unknown =>
		isExchangeError(error)
			? changed(error, (facts) => withTexts(isForm ? facts : inWordsOfScripts(facts), clean))
			: error;
	return {
		context: (context) => {
			const { warn } = context;
			return warn ? { ...context, warn: ({ kind, text }) => warn({ kind, text: excerpt(text, apiKey) }) } : context;
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

/** Returns the same error when nothing of it changes. */
function changed(error: ExchangeError, change: (facts: ErrorFacts) => ErrorFacts): ExchangeError {
	const facts = factsIn(error);
	const next = change(facts);
	return JSON.stringify(next) === JSON.stringify(facts) ? error : new ExchangeError(error.code, next);
}

/** A script has no form to look at: "Created After is not a time" says nothing to whoever wrote `created_after`. */
function inWordsOfScripts(facts: ErrorFacts): ErrorFacts {
	const { operation: label, field = '', what, advice } = facts;
	const id = operationIds.find((each) => operationOf(each).label === label);
	if (id === undefined) return facts;
	const operation = operationOf(id);
	const fields: Fields = { ...optionsIn(operation), ...operation.input };
	// No more than the field and what it depends on: a text may quote the service, where a label is a word like others.
	const names = [field, ...Object.keys(fields[field]?.onlyWhen ?? {})].filter((name) => Object.hasOwn(fields, name));
	return {
		...facts,
		operation: `${label} (${id})`,
		what: names.reduce((text, name) => beside(text, [[fields[name]!.label, name]]), withIds(what)),
		...(advice === undefined ? {} : { advice: withIds(advice) }),
	};
}

const optionsIn = (operation: Operation): Fields =>
	Object.fromEntries((operation.options ?? []).map((id) => [id, optionOf(operation, id)]));

const withIds = (text: string): string =>
	beside(
		text,
		operationIds.map((id) => [operationOf(id).label, id]),
	);

/** Writes the name of each label behind it, once. */
function beside(text: string, named: readonly (readonly [label: string, name: string])[]): string {
	const names = new Map(named);
	const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length).map((each) => each.replace(/\W/g, '\\$&'));
	const label = new RegExp(`(?<!\\w)(?:${longestFirst.join('|')})(?!\\w| \\()`);
	return text.replace(label, (words) => `${words} (${names.get(words)!})`);
}
