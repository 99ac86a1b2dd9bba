import type { Field, Operation } from '../catalogue';
import { isZero, readDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { instantOf } from '../wire/payload';
import type { Accepted } from '../wire/request';

const TEXT_LENGTH_MAX = 2000;
const JSON_LENGTH_MAX = 64 * 1024;
/** Characters of a refused value that are quoted. */
const SHOWN_MAX = 40;

/** Checks every input before anything is sent, names the one at fault, and drops what does not apply. */
export function acceptInput(operation: Operation, input: Readonly<Record<string, unknown>>): Accepted {
	refuseUnknown(operation, input);
	const accepted: Accepted = {};
	const meant = withChoices(operation, input);
	for (const [name, field] of Object.entries(operation.input)) {
		if (!applies(field, meant)) continue;
		const given = meant[name];
		if (isMissing(given)) {
			if (!field.optional) throw missing(operation, name, field);
			continue;
		}
		const value = acceptValue(field, given);
		if ('reason' in value) throw refused(operation, name, field, value.reason);
		accepted[name] = value.value;
	}
	return accepted;
}

/** A market order has no price and no time in force: what does not apply is left out. (Interface, part 2.) */
export const applies = (field: Field, input: Readonly<Record<string, unknown>>): boolean =>
	Object.entries(field.onlyWhen ?? {}).every(([sibling, value]) => input[sibling] === value);

export const isMissing = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

type Verdict = { value: string | number | boolean | object } | { reason: string };

/** One value of one kind: what will be sent, or why not. */
export function acceptValue(field: Field, given: unknown): Verdict {
	switch (field.kind) {
		case 'decimal':
			return acceptDecimal(given);
		case 'integer':
			return acceptInteger(field, given);
		case 'boolean':
			return acceptBoolean(given);
		case 'choice':
			return acceptChoice(field, given);
		case 'timestamp':
			return acceptTimestamp(given);
		case 'json':
			return acceptJson(given);
		case 'id':
			return acceptId(given);
		case 'text':
			return acceptText(field, given);
	}
}

/** What depends on a choice is decided by the value it stands for: a price belongs to a `Limit` order too. */
function withChoices(operation: Operation, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const named = Object.entries(input).map(([name, given]) => {
		const field = operation.input[name];
		return [name, field?.kind === 'choice' ? (choiceOf(field, given) ?? given) : given];
	});
	return Object.fromEntries(named) as Record<string, unknown>;
}

function acceptChoice(field: Field, given: unknown): Verdict {
	const value = choiceOf(field, given);
	if (value !== undefined) return { value };
	const shown =
		typeof given === 'string' || typeof given === 'number' ? `, not ${String(given).slice(0, SHOWN_MAX)}` : '';
	return { reason: `must be one of ${field.values?.join(', ')}${shown}` };
}

/** `Buy` and `post only` are certain; of times only the exact word is, because 1M is a month where 1m is a minute. */
function choiceOf({ values = [] }: Field, given: unknown): string | undefined {
	if (typeof given !== 'string') return undefined;
	const text = given.trim();
	if (values.includes(text)) return text;
	const plain = plainWord(text);
	return values.find((value) => !/^\d/.test(value) && plainWord(value) === plain);
}

const plainWord = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');

function acceptDecimal(given: unknown): Verdict {
	const read = readDecimal(given);
	if ('reason' in read) return read;
	return isZero(read.text) ? { reason: 'must be greater than zero' } : { value: read.text };
}

function acceptInteger(field: Field, given: unknown): Verdict {
	const number = typeof given === 'string' && /^\d+$/.test(given.trim()) ? Number(given) : given;
	if (typeof number !== 'number' || !Number.isSafeInteger(number)) return { reason: 'must be a whole number' };
	if (field.min !== undefined && number < field.min) return { reason: `must be at least ${field.min}` };
	return { value: number };
}

function acceptBoolean(given: unknown): Verdict {
	if (typeof given === 'boolean') return { value: given };
	if (given === 'true' || given === 'false') return { value: given === 'true' };
	return { reason: 'must be true or false' };
}

function acceptTimestamp(given: unknown): Verdict {
	const time = given instanceof Date ? given.getTime() : instantOf(typeof given === 'string' ? given.trim() : given);
	const shown = time === undefined ? undefined : new Date(time);
	return shown === undefined || Number.isNaN(shown.getTime())
		? { reason: 'is not a time such as 2026-01-31T00:00:00Z' }
		: { value: shown.toISOString() };
}

function acceptJson(given: unknown): Verdict {
	const text = typeof given === 'string' ? given : jsonOf(given);
	if (text === undefined) return { reason: 'cannot be written as JSON' };
	if (text.length > JSON_LENGTH_MAX) return { reason: `is longer than ${JSON_LENGTH_MAX} characters` };
	const parsed = parsedFrom(text);
	if (parsed === undefined) return { reason: 'is not valid JSON' };
	return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
		? { value: parsed }
		: { reason: 'must be a JSON object, such as { "reason": "test" }' };
}

/** Nothing for what has no JSON: circles, big integers, functions. */
function jsonOf(given: unknown): string | undefined {
	try {
		return JSON.stringify(given);
	} catch {
		return undefined;
	}
}

function parsedFrom(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** An identifier becomes part of a path, so nothing that could change the path gets through. */
function acceptId(given: unknown): Verdict {
	const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
	return /^[A-Za-z0-9_-]{1,128}$/.test(text)
		? { value: text }
		: { reason: 'must be an identifier of letters, digits, dashes and underscores' };
}

function acceptText(field: Field, given: unknown): Verdict {
	if (typeof given !== 'string' && typeof given !== 'number') return { reason: 'must be text' };
	const text = String(given);
	const longest = field.maxLength ?? TEXT_LENGTH_MAX;
	if (text.length > longest) return { reason: `is longer than ${longest} characters` };
	// Line breaks and other control characters would end a header or hide in a log.
	if (/[\u0000-\u001f\u007f]/.test(text)) return { reason: 'must not hold line breaks or control characters' };
	return { value: text };
}

function refuseUnknown(operation: Operation, input: Readonly<Record<string, unknown>>): void {
	const unknown = Object.keys(input).find((name) => !Object.hasOwn(operation.input, name));
	if (unknown === undefined) return;
	throw new ExchangeError('invalid_input', {
		operation: operation.label,
		field: unknown,
		what: `There is no input named ${unknown.slice(0, 64)}`,
		advice: `It takes ${Object.keys(operation.input).join(', ') || 'no input'}`,
	});
}

function missing(operation: Operation, name: string, field: Field): ExchangeError {
	const [condition] = Object.values(field.onlyWhen ?? {});
	return new ExchangeError('invalid_input', {
		operation: operation.label,
		field: name,
		what: `${field.label} is missing${condition ? ` and is required when the choice is ${condition}` : ''}`,
		advice: field.example
			? `Enter a value such as ${field.example}; nothing was sent`
			: 'Enter a value; nothing was sent',
	});
}

function refused(operation: Operation, name: string, field: Field, reason: string): ExchangeError {
	return new ExchangeError('invalid_input', {
		operation: operation.label,
		field: name,
		what: `${field.label} ${reason}`,
		...(field.example ? { advice: `Enter a value such as ${field.example}; nothing was sent` } : {}),
	});
}
