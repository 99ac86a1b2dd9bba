import type { Field } from '../catalogue';
import { isZero, readDecimal } from '../decimal';
import { jsonIn } from '../wire/json';
import { readTime } from '../wire/payload';

/** A longer text, or JSON, is refused before anything is sent, because it is a document and no name. */
const INPUT_LENGTH_MAX = 2000;
const JSON_LENGTH_MAX = 64 * 1024;
/** Characters of a refused value quoted in the error. */
const SHOWN_MAX = 40;

/** Undefined, null, or text of spaces alone. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Hosts leave an environment variable without a value as it is written. Says so of a field that holds one. */
export const unsetVariable = (value: unknown, label: string): string | undefined =>
	typeof value === 'string' && /^\$\{.*\}$/.test(value.trim())
		? `The environment variable ${value.trim()} of ${label} is not set, or is empty`
		: undefined;

type Value = string | number | boolean | object;
/** `nearest` is the valid value that was probably meant. */
export type ValueCheck<V = Value> = { value: V } | { reason: string; nearest?: string };

/** Checks one value: the value to send, or the reason why it is refused. */
export function acceptValue(field: Field, value: unknown): ValueCheck {
	switch (field.kind) {
		case 'decimal':
			return acceptDecimal(value);
		case 'integer':
			return acceptInteger(field, value);
		case 'boolean':
			return readBoolean(value);
		case 'choice':
			return acceptChoice(field, value);
		case 'choices':
			return acceptChoices(field, value);
		case 'timestamp':
			return acceptTimestamp(value);
		case 'json':
			return acceptJson(value);
		case 'id':
			return acceptId(value);
		case 'text':
			return acceptText(field, value);
	}
}

function acceptDecimal(value: unknown): ValueCheck {
	const read = readDecimal(value);
	if ('reason' in read) return read;
	return isZero(read.text) ? { reason: 'must be greater than zero' } : { value: read.text };
}

function acceptInteger(field: Field, value: unknown): ValueCheck {
	const number = typeof value === 'string' && /^\d{1,40}$/.test(value.trim()) ? Number(value) : value;
	if (field.max !== undefined && typeof number === 'number' && number > field.max)
		return { reason: `must be at most ${field.max}` };
	// A sequence number has no bound, so one beyond what a number holds stays the text it is.
	if (typeof value === 'string' && typeof number === 'number' && number > Number.MAX_SAFE_INTEGER)
		return { value: value.trim() };
	if (typeof number !== 'number' || !Number.isSafeInteger(number)) return { reason: 'must be a whole number' };
	if (field.min !== undefined && number < field.min) return { reason: `must be at least ${field.min}` };
	return { value: number };
}

/** Common words for true and false. They are suggested and never accepted: a wrong guess could send an order. */
const likeTrue = ['true', 'yes', 'on', '1', 'y', 't'];
const likeFalse = ['false', 'no', 'off', '0', 'n', 'f'];

/** The only parser of switches: true, false, or exactly these words. Everything else is refused. */
export function readBoolean(value: unknown): ValueCheck<boolean> {
	if (typeof value === 'boolean') return { value };
	if (value === 'true' || value === 'false') return { value: value === 'true' };
	const word = wordOf(value).toLowerCase();
	const nearest = likeTrue.includes(word) ? 'true' : likeFalse.includes(word) ? 'false' : undefined;
	return { reason: `must be true or false, and ${quoted(value)} is neither`, ...(nearest ? { nearest } : {}) };
}

function acceptChoice(field: Field, input: unknown): ValueCheck {
	const value = choiceOf(field, input);
	return value === undefined
		? { reason: `must be one of ${field.values?.join(', ')}, not ${quoted(input)}` }
		: { value };
}

/** An array, or one text with commas. */
function acceptChoices(field: Field, value: unknown): ValueCheck {
	const wanted: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
	const values = wanted.map((each) => choiceOf(field, each) ?? otherIn(field, each));
	const unknown = values.indexOf(undefined);
	if (unknown >= 0)
		return { reason: `must be one or more of ${field.values?.join(', ')}, not ${quoted(wanted[unknown])}` };
	return values.length === 0 ? { reason: 'must name at least one' } : { value: values as string[] };
}

const otherIn = ({ mayHoldOthers }: Field, value: unknown): string | undefined =>
	mayHoldOthers && typeof value === 'string' && /^[\w.-]{1,64}$/.test(value.trim()) ? value.trim() : undefined;

/**
 * The choice that a spelling stands for: `Buy` and `post only` are unambiguous. Intervals must match exactly, because
 * 1M is a month and 1m is a minute.
 */
export function choiceOf({ values = [] }: Field, input: unknown): string | undefined {
	if (typeof input !== 'string') return undefined;
	const text = input.trim();
	if (values.includes(text)) return text;
	const plain = withoutSeparators(text);
	return values.find((value) => !/^\d/.test(value) && withoutSeparators(value) === plain);
}

const withoutSeparators = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');

/** The text of a primitive value. Converting an object could run its own code, or throw. */
const wordOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value).trim() : '';

function quoted(value: unknown): string {
	if (value === null) return 'null';
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	const text = typeof value === 'string' ? JSON.stringify(value) : wordOf(value) || typeof value;
	return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/** Milliseconds since 1970 as hosts hand them over, between 1990 and 2100: seconds and days written as a number are not. */
const INSTANT_MS_MIN = Date.UTC(1990);
const INSTANT_MS_MAX = Date.UTC(2100);

function acceptTimestamp(value: unknown): ValueCheck {
	const time = value instanceof Date ? value.getTime() : typeof value === 'string' ? readTime(value)?.at : undefined;
	const isInstant = typeof value === 'number' && value >= INSTANT_MS_MIN && value < INSTANT_MS_MAX;
	const at = isInstant ? value : time;
	if (at !== undefined && !Number.isNaN(at)) return { value: new Date(at).toISOString() };
	return {
		reason: `is not a time such as 2026-01-31 or 2026-01-31T14:30:00Z, but ${quoted(value)}`,
	};
}

function acceptJson(value: unknown): ValueCheck {
	const text = typeof value === 'string' ? value : jsonOf(value);
	if (text === undefined) return { reason: 'cannot be written as JSON' };
	if (text.length > JSON_LENGTH_MAX) return { reason: `is longer than ${JSON_LENGTH_MAX} characters` };
	const parsed = jsonIn(text);
	if (parsed === undefined) return { reason: 'is not valid JSON' };
	return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
		? { value: parsed }
		: { reason: 'must be a JSON object, such as { "reason": "test" }' };
}

/** Undefined for values without JSON: circular structures, big integers, functions. */
function jsonOf(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

/**
 * What an expression, a program or a sheet writes in place of a value that is missing, and a place that nobody filled in. Every
 * row without one would have this one name, and the second of two orders of one name is not placed.
 */
const NOTHING =
	/\{\{|\$\{|(?<![\p{L}\p{N}])(?:undefined|null|NULL|None|NaN|nan|\[object \w+\]|Invalid Date(?:Time)?|Loading\.\.\.|#(?:N\/[ABD]|NV|[¡¿]?\p{Lu}[\p{Lu}\d/]*[!?]))(?![\p{L}\p{N}])/u;

/**
 * n8n writes nothing at all there, so that of `invoice-{{ … }}`, `2026/{{ … }}` and `{{ … }}-USD` the rest stays. An identifier
 * made by chance may have a dash anywhere, and mixes its letters and digits.
 */
const REST = /^(?:[^\p{L}\p{N}]*|\P{N}*\s|(?=-|\S*--|.*[-_:/#]\s?$)(?:\p{L}*\p{N}*[^\p{L}\p{N}])*\p{L}*\p{N}*)$/u;

const nothingIn = (text: string): { reason: string } | undefined => {
	const [found] = NOTHING.exec(text) ?? [];
	if (found !== undefined) return { reason: `holds ${found}, which is what a program writes where nothing was found` };
	return REST.test(text) ? { reason: `is only ${quoted(text)}, and a part of it was not found` } : undefined;
};

/** An identifier becomes part of a path, so characters that could change the path are refused. */
function acceptId(value: unknown): ValueCheck {
	if (isBent(value)) return bent(value);
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	return /^[A-Za-z0-9_-]{1,128}$/.test(text)
		? (nothingIn(text) ?? { value: text })
		: { reason: 'must be an identifier of letters, digits, dashes and underscores' };
}

/** A number that is no whole one, or too large to be exact, or that a sheet has shortened: two long names become one. */
const isBent = (value: unknown): value is number | string =>
	typeof value === 'number'
		? !Number.isSafeInteger(value)
		: typeof value === 'string' && /^\s*\d(?:[.,]\d+)?E\+\d+\s*$/i.test(value);

const bent = (value: number | string): ValueCheck => ({
	reason: `is the number ${value}, which may already be another one than was written: give it as text`,
});

/**
 * A name as it is meant, however it was typed or copied. Neither two ways to write one letter nor a space that nobody sees,
 * at an end or beside another one, make two names of one invoice.
 */
export const oneName = (text: string): string =>
	/[^!-~]/.test(text)
		? text
				.normalize('NFC')
				.trim()
				.replace(/\p{Zs}+/gu, ' ')
		: text;

function acceptText(field: Field, value: unknown): ValueCheck {
	if (isBent(value)) return bent(value);
	if (typeof value !== 'string' && typeof value !== 'number') return { reason: 'must be text' };
	if (field.digits && typeof value === 'number') return withoutItsZeros(value);
	// The list of banks says which code a number can mean.
	if (field.pick === 'bank' && typeof value === 'number') return { value };
	if (field.digits === 'account') return acceptAccountNumber(field, String(value));
	const text = field.names ? oneName(String(value)) : String(value);
	const longest = field.maxLength ?? INPUT_LENGTH_MAX;
	if (text.length > longest) return { reason: `is longer than ${longest} characters` };
	// Line breaks and other control characters could end a header or hide text in a log.
	if (/[\u0000-\u001f\u007f]/.test(text)) return { reason: 'must not hold line breaks or control characters' };
	const whole = text.replace(HALVES, '');
	if (field.names && whole !== text)
		return { reason: 'must not hold half of a character, as a text has that was cut inside an emoji', nearest: whole };
	const visible = text.replace(INVISIBLE, '');
	if (field.names && visible !== text)
		return {
			reason: 'must not hold invisible characters, which make two names look like one',
			nearest: oneName(visible),
		};
	// An address is copied, with spaces around it, and not put together as a name is.
	const nothing = field.names && nothingIn(field.names === 'address' ? text : String(value));
	if (nothing) return nothing;
	if (field.names === 'address' && /[^!-~]/.test(text))
		return { reason: 'must hold no space and no letter with an accent or of another alphabet, as no address does' };
	// Headers carry ASCII only; stripping other characters could turn two keys into one.
	if (field.names === 'header' && !/^[\x20-\x7e]*$/.test(text))
		return { reason: 'must hold printable ASCII characters only, because it travels in a header' };
	if (field.pick === 'pair' && !isPair(text)) return { reason: 'must be a pair of codes with a slash between them' };
	return { value: text };
}

/** What every spreadsheet does to 0123456789. */
const withoutItsZeros = (value: number): ValueCheck => ({
	reason: `is the number ${value}, which may have lost its leading zeros: give it as text`,
});

/** The number of a bank account, which people write in groups. */
function acceptAccountNumber({ maxLength = INPUT_LENGTH_MAX }: Field, text: string): ValueCheck {
	const value = text.replaceAll(' ', '');
	if (value.length > maxLength) return { reason: `is longer than ${maxLength} characters` };
	const isNumber = /^[A-Za-z0-9]+$/.test(value) && /\d/.test(value);
	return isNumber ? { value } : { reason: `must be the digits of an account number, not ${quoted(text)}` };
}

/** Surrogates without a partner. A service shows another character in their place, and the order is not found by its name. */
const HALVES = /\p{Cs}/gu;
const INVISIBLE = /[\p{DI}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A longer text is refused as a pair, because it would become part of a path. */
const PAIR_LENGTH_MAX = 64;

/**
 * A pair becomes part of a path, where `..` leads elsewhere in any encoding, and of a topic name. The spelling of pairs
 * is not documented, so only such characters are refused.
 */
const isPair = (text: string): boolean =>
	text.length <= PAIR_LENGTH_MAX && text.split('/').every((code) => /^\s*[A-Za-z0-9][\w .:-]*$/.test(code));
