import { causedBy, ExchangeError, type ErrorCode } from './errors';

/** What a part of an object may be, in words and as a question. */
export interface Kind {
	words: string;
	is(value: unknown): boolean;
}

const ofType = (type: 'string' | 'boolean' | 'function', words: string): Kind => ({
	words,
	is: (value) => typeof value === type,
});
const memberOf = (value: unknown, name: string): unknown =>
	Object(value) === value ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

export const aText = ofType('string', 'text');
export const someText: Kind = { words: 'text that is not empty', is: (value) => aText.is(value) && value !== '' };
export const flag = ofType('boolean', 'true or false');
export const callback = ofType('function', 'a function');
export const texts: Kind = { words: 'a list of texts', is: (value) => Array.isArray(value) && value.every(aText.is) };
export const plainObject: Kind = {
	words: 'a plain object, and no instance of a class',
	is: (value) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
		const prototype: unknown = Object.getPrototypeOf(value);
		// A function of Node-RED, for one, runs beside an `Object` of its own. What is inherited of any other is not listed, so
		// it would not be heeded.
		return (
			prototype === null ||
			(Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'hasOwnProperty'))
		);
	},
};
export const signal: Kind = {
	words: 'an AbortSignal',
	is: (value) => typeof memberOf(value, 'aborted') === 'boolean' && callback.is(memberOf(value, 'addEventListener')),
};
export const oneOf = (...values: readonly string[]): Kind => ({
	words: `one of ${values.join(', ')}`,
	is: (value) => values.some((each) => each === value),
});
export const aList: Kind = { words: 'a list', is: Array.isArray };
/** What stands for something outside, such as a journal, may be of any class that has its functions. */
export const having = (...names: readonly string[]): Kind => ({
	words: `an object with ${names.map((name) => `${name}()`).join(', ')}`,
	is: (value) => typeof value === 'object' && names.every((name) => callback.is(memberOf(value, name))),
});
export const wholeNumber = (min: number, max: number): Kind => ({
	words: `a whole number from ${min} to ${max}`,
	is: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
});
/** Any value: the code that reads it later says what is wrong with it. */
export const readElsewhere: Kind = { words: '', is: () => true };

/** How an error says what a caller handed over. */
interface Named {
	/** The name of the value, to begin a sentence: `A subscription`. */
	of: string;
	field?: string;
	code?: ErrorCode;
	operation?: string;
	advice?: string;
	/** The parts an object takes, which the error lists where it gives no other advice. */
	kinds?: Readonly<Record<string, Kind>>;
}

const takes = (kinds: Readonly<Record<string, Kind>>): string => `It takes ${Object.keys(kinds).join(', ')}`;

/** What an object of a caller holds. */
interface Holder extends Named {
	/** The parts that have to be there. */
	needs?: readonly string[];
	/** What to do about a part of a name that is not known. */
	adviceOn?(name: string): string | undefined;
}

/**
 * Holds an object that a caller hands over to its parts. A misspelt limit would limit nothing, a misspelt `onCheckpoint`
 * would store nothing, and what is of another kind would fail later, far from whoever wrote it. Only `undefined` counts as
 * not given. Returns its parts, each of which was read once.
 */
export function assertGiven<Given extends object>(
	given: Given,
	parts: Readonly<Record<keyof Given, Kind>>,
	{ of, code = 'invalid_input', operation, needs = [], adviceOn }: Holder,
): Given {
	const kinds: Readonly<Record<string, Kind>> = parts;
	const refuse = (what: string, field?: string, advice = takes(kinds)): never => {
		throw new ExchangeError(code, { operation, field, what, advice: `${advice}; nothing was sent` });
	};
	const values = givenFields(given, { of, code, operation, kinds });
	for (const name of new Set([...needs, ...Object.keys(values)])) {
		const short = name.slice(0, 64);
		if (!Object.hasOwn(kinds, name)) refuse(`${of} takes nothing named ${short}`, short, adviceOn?.(name));
		const value = values[name];
		const kind = kinds[name]!;
		if (value === undefined ? needs.includes(name) : !kind.is(value))
			refuse(`${of}: ${short} must be ${kind.words}, and is ${shown(value)}`, short, 'Correct it');
	}
	return values as Given;
}

/** Every part of an object of a caller, which is read once: a property may be a function, and fail. */
export function givenFields(given: unknown, named: Named): Readonly<Record<string, unknown>> {
	const { of, operation, code = 'invalid_input' } = named;
	let { field } = named;
	try {
		assertKind(given, plainObject, named);
		return Object.fromEntries(Object.keys(given as object).map((name) => [(field = name), memberOf(given, name)]));
	} catch (cause) {
		if (cause instanceof ExchangeError) throw cause;
		const what = `${of} cannot be read${field === undefined ? '' : `: ${field.slice(0, 64)} fails`}`;
		throw causedBy(cause, code, { operation, field, what, advice: 'Correct it; nothing was sent' });
	}
}

/** Refuses a value that is of another kind than it must be. */
export function assertKind(value: unknown, { words, is }: Kind, named: Named): void {
	if (is(value)) return;
	const { of, field, code = 'invalid_input', operation, kinds } = named;
	const { advice = kinds ? takes(kinds) : 'Correct it' } = named;
	throw new ExchangeError(code, {
		operation,
		field,
		what: `${of} must be ${words}, and is ${shown(value)}`,
		advice: `${advice}; nothing was sent`,
	});
}

/** A number of more digits may be a key that was written without quotes. */
const NUMBER_SHOWN_BELOW = 1e6;

/**
 * The kind of a value, for an error. The value itself is not shown, because it may be a secret that was given in the
 * wrong place.
 */
function shown(value: unknown): string {
	if (value === undefined || value === null) return value === null ? 'null' : 'missing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'number' && Math.abs(value) < NUMBER_SHOWN_BELOW) return String(value);
	if (typeof value !== 'object')
		return { string: 'text', boolean: 'a switch' }[typeof value as string] ?? `a ${typeof value}`;
	const { constructor } = value;
	return plainObject.is(value) || !constructor?.name ? 'an object' : `a ${constructor.name.slice(0, 64)}`;
}
