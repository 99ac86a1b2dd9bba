/** How an error names things: as the form of a host labels them, or as a script writes them, too. */
import type { Account } from '../account';
import {
	accountLabels,
	environments,
	operationIds,
	operationOf,
	optionOf,
	type Fields,
	type Operation,
} from '../catalogue';
import { errorCodes, factsIn, isExchangeError, retold, type ErrorFacts } from '../errors';
import { isLoopback } from '../host-names';

/**
 * Says of a refused key where the keys of the account's environment come from. With `isForm` operations and fields are
 * named as forms label them, and otherwise as a script writes them, too.
 */
export function inWordsOf(account: Account, isForm: boolean): (error: unknown) => unknown {
	const ofKey = keyAdvice(account);
	return (error) => {
		const advised = changedError(error, (facts) =>
			isExchangeError(error, 'unauthorized') && facts.advice === errorCodes.unauthorized.advice
				? { ...facts, advice: ofKey }
				: facts,
		);
		return isForm ? advised : inWordsOfScripts(advised);
	};
}

/** A key that is right elsewhere is the likeliest mistake, and each environment has keys of its own. */
function keyAdvice({ environment, baseUrl }: Account): string {
	const { label } = environments[environment];
	if (environment !== 'sandbox')
		return `Check that the key is complete and active, and that it is one of ${label}: the keys of other environments are not known there`;
	const whose = isLoopback(new URL(baseUrl).hostname) ? 'the sandbox on this machine' : 'that sandbox';
	return `Take a key of ${whose}: sandbox-key, unless it was started with others`;
}

/** Any other value, and an error in which nothing changes, is handed back as it is. */
export function changedError(error: unknown, change: (facts: ErrorFacts) => ErrorFacts): unknown {
	if (!isExchangeError(error)) return error;
	const facts = factsIn(error);
	const next = change(facts);
	if (JSON.stringify(next) === JSON.stringify(facts)) return error;
	return retold(error, next);
}

/** A script has no form to look at: "Created After is not a time" says nothing to whoever wrote `created_after`. */
export const inWordsOfScripts = (error: unknown): unknown => changedError(error, asScriptsWrite);

function asScriptsWrite(facts: ErrorFacts): ErrorFacts {
	const { operation: label, field = '', what, advice } = facts;
	const id = operationIds.find((each) => operationOf(each).label === label);
	const operation = id && operationOf(id);
	const fields: Fields = operation ? { ...optionsIn(operation), ...operation.input } : {};
	const depends = (Object.hasOwn(fields, field) && fields[field]!.onlyWhen) || {};
	// No more than the field and what it depends on: a text may quote the service, where a label is a word like others.
	const labelled = [field, ...Object.keys(depends)].flatMap((name): [string, string][] => {
		const label = labelOf(name, fields);
		return label === undefined ? [] : [[label, name]];
	});
	const said = labelled.reduce((text, pair) => beside(text, [pair]), withIds(what));
	return {
		...facts,
		...(id === undefined ? {} : { operation: `${label} (${id})` }),
		what: said.includes(field) ? said : `${said} (${field})`,
		...(advice === undefined ? {} : { advice: withIds(advice) }),
	};
}

/** What a form calls a field of an operation or of an account. */
function labelOf(name: string, fields: Fields): string | undefined {
	if (Object.hasOwn(fields, name)) return fields[name]!.label;
	return Object.hasOwn(accountLabels, name) ? accountLabels[name as keyof typeof accountLabels] : undefined;
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
