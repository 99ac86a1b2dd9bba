import { ExchangeError, type ErrorCode } from './errors';

/**
 * Refuses what is given under a name that nobody reads. A misspelt limit would limit nothing, and a misspelt
 * `onCheckpoint` would store nothing, without a word.
 */
export function assertOnlyNamed<Given extends object>(
	given: Given,
	names: Readonly<Record<keyof Given, unknown>>,
	{ of, code = 'invalid_input' }: { of: string; code?: ErrorCode },
): void {
	const known = Object.keys(names);
	if (typeof given !== 'object' || given === null)
		throw new ExchangeError(code, { what: `${of} is no object`, advice: `It takes ${known.join(', ')}` });
	const unknown = Object.keys(given)
		.find((name) => !known.includes(name))
		?.slice(0, 64);
	if (unknown === undefined) return;
	throw new ExchangeError(code, {
		field: unknown,
		what: `${of} takes nothing named ${unknown}`,
		advice: `It takes ${known.join(', ')}; nothing was sent`,
	});
}
