import {
	optionOf,
	options as described,
	type Field,
	type Operation,
	type Option,
	type OptionId,
	type Options,
} from '../catalogue';
import { ExchangeError } from '../errors';
import { readTime } from '../wire/payload';
import type { Accepted } from '../wire/request';
import { withoutZeros } from '../decimal';
import { givenFields } from '../given';
import { acceptValue, choiceOf, isEmpty } from './value';

/** Checks every input before anything is sent, and names the invalid one, or one that does not apply. */
export function acceptInput(operation: Operation, given: Readonly<Record<string, unknown>>): Accepted {
	const input = givenFields(given, { of: 'The input', operation: operation.label });
	refuseUnknown(operation, input);
	const accepted: Accepted = {};
	for (const name of Object.keys(operation.input)) {
		const field = operation.input[name]!;
		const entered = input[name];
		if (!applies(operation, name, input)) {
			if (!isEmpty(entered)) throw unwanted(operation, name);
			continue;
		}
		if (isEmpty(entered)) {
			if (!field.optional) throw missing(operation, name, field);
			if (entered !== undefined && narrowsAnAct(operation)) throw emptyFilter(operation, name, field);
			continue;
		}
		const verdict = acceptValue(field, entered);
		if ('reason' in verdict) throw refused(operation, name, field, verdict);
		accepted[name] = verdict.value;
	}
	return accepted;
}

/**
 * The values of a call in one spelling each: `1`, `1.0` and ` 1.00 ` are one amount, `Buy` and `buy` one side. What would
 * be refused stays as it was written. Two calls that mean the same have equal entries.
 */
export const inOneSpelling = (
	{ input: fields }: Operation,
	input: Readonly<Record<string, unknown>>,
): [string, unknown][] =>
	Object.entries(fields)
		.filter(([name]) => !isEmpty(input[name]))
		.map(([name, field]): [string, unknown] => {
			const verdict = acceptValue(field, input[name]);
			return [name, 'reason' in verdict ? input[name] : spelling(field, verdict.value)];
		});

/** An accepted value in the spelling of all that mean the same. */
export function spelling(field: Field, value: unknown): unknown {
	if (field.kind === 'decimal') return withoutZeros(String(value));
	return field.pick === 'pair' || field.kind === 'id' ? String(value).trim().toLowerCase() : value;
}

/**
 * The free fields over the named ones and checked like them, so that what is looked for is what is sent. An identifier is part of
 * the path and stays.
 */
export function withFreeFields(operation: Operation, accepted: Accepted): Accepted {
	if (accepted.body === undefined) return accepted;
	const fields: Operation['input'] = { ...operation.input.body?.holds, ...operation.input };
	const { body, ...named } = accepted;
	const free = Object.entries(body as Accepted)
		.filter(([name]) => fields[name]?.kind !== 'id')
		.map(([name, value]): [string, unknown] => {
			const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
			if (field === undefined || isEmpty(value)) return [name, value];
			const verdict = acceptValue(field, value);
			if ('reason' in verdict) throw refused(operation, name, field, verdict);
			return [name, verdict.value];
		});
	return { ...named, ...(Object.fromEntries(free) as Accepted) };
}

/**
 * Whether a field applies beside the choices in the input: a market order, for one, has no price and no time in force.
 * `Limit` is a spelling of `limit`, so its price applies. (Interface, part 2.)
 */
export function applies({ input: fields }: Operation, name: string, input: Readonly<Record<string, unknown>>): boolean {
	const { onlyWhen } = fields[name] ?? {};
	return (
		onlyWhen === undefined ||
		Object.entries(onlyWhen).every(([sibling, value]) => choiceOf(fields[sibling]!, input[sibling]) === value)
	);
}

/** Whether the inputs say what it acts upon, and all of it without them. */
const narrowsAnAct = ({ run }: Operation): boolean => run.via === 'composed' && run.acts === true;

/** An empty cell of a table would let an order be cancelled that was not meant. */
const emptyFilter = (operation: Operation, name: string, { label }: Field): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: operation.label,
		field: name,
		what: `${label} (${name}) is set and empty`,
		advice: 'Leave it out if all are meant; nothing was sent',
	});

/** A value that does not apply would be dropped, and the person may have meant it: a market order has no price limit. */
function unwanted(operation: Operation, name: string): ExchangeError {
	const { label, onlyWhen } = operation.input[name]!;
	const [[sibling, value]] = Object.entries(onlyWhen!) as [[string, string]];
	return new ExchangeError('invalid_input', {
		operation: operation.label,
		field: name,
		what: `${label} (${name}) counts only where ${operation.input[sibling]!.label} is ${value}`,
		advice: `Leave it empty, or choose ${value}; nothing was sent`,
	});
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
	const [condition] = Object.entries(field.onlyWhen ?? {});
	return new ExchangeError('invalid_input', {
		operation: operation.label,
		field: name,
		what: `${field.label} is missing${condition ? `: it is required when ${operation.input[condition[0]]!.label} is ${condition[1]}` : ''}`,
		advice: `Enter ${wantedValue(field)}; nothing was sent`,
	});
}

function wantedValue({ values, example }: Field): string {
	if (values) return `one of ${values.join(', ')}`;
	return example === undefined ? 'a value' : `a value such as ${example}`;
}

function refused(
	operation: Operation,
	name: string,
	field: Field,
	{ reason, nearest }: { reason: string; nearest?: string },
): ExchangeError {
	const example = nearest === undefined ? field.example && `a value such as ${field.example}` : nearest;
	return new ExchangeError('invalid_input', {
		operation: operation.label,
		field: name,
		what: `${field.label} ${reason}`,
		...(example ? { advice: `Enter ${example}; nothing was sent` } : {}),
	});
}

/**
 * Checks the options of a call. A misspelt, foreign or empty option would protect nothing, so each is refused by name, and
 * so is one that would do nothing beside the others, except of a form, which keeps the values of fields that it hides.
 * Only `undefined` counts as not given.
 */
export function acceptOptions(operation: Operation, given?: Options, isForm = false): Options {
	if (given === undefined) return {};
	const accepted = Object.fromEntries(
		Object.entries(givenFields(given, { of: 'options', operation: operation.label }))
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [name, acceptOption(operation, name, value)]),
	) as Options;
	const idle = idleIn(operation, accepted);
	if (idle && !isForm) throw new ExchangeError('invalid_input', { operation: operation.label, ...idle });
	assertSpan(operation, accepted);
	return withFields(operation, accepted);
}

const isOn = (accepted: Options, id: OptionId): boolean =>
	accepted[id] !== undefined && accepted[id] !== (described[id] as Option).default;

/** The first option that does nothing beside the others, and what to do about it. */
function idleIn(operation: Operation, accepted: Options): { field: string; what: string; advice: string } | undefined {
	const { output_mode: mode = 'selected_fields', output_fields } = accepted;
	for (const [field, value] of Object.entries(accepted)) {
		const { label, beside, needs } = optionOf(operation, field as OptionId);
		const others = ((needs?.[String(value)] ?? beside ?? []) as OptionId[]).filter((id) =>
			operation.options?.includes(id),
		);
		if (others.length === 0 || others.some((id) => isOn(accepted, id))) continue;
		const what = `${label} ${String(value)} has no effect without ${others.join(' or ')}`;
		return { field, what, advice: `Set ${others.join(' or ')}, or leave ${field} out; nothing was sent` };
	}
	if (output_fields && mode !== 'selected_fields')
		return {
			field: 'output_fields',
			what: `Fields are chosen, and output_mode ${mode} returns others`,
			advice: 'Leave one of the two out; nothing was sent',
		};
	return undefined;
}

/** Between a time and one that is not after it nothing is created, so the list would be empty without a word. */
function assertSpan({ label }: Operation, { created_after: after, created_before: before }: Options): void {
	if (after === undefined || before === undefined || readTime(after)!.at < readTime(before)!.at) return;
	throw new ExchangeError('invalid_input', {
		operation: label,
		field: 'created_before',
		what: 'Created Before is not later than created_after, so nothing can be listed',
		advice: 'Correct one of the two; nothing was sent',
	});
}

/** Chosen output fields imply the output mode that returns them, unless another mode is chosen. */
function withFields(operation: Operation, accepted: Options): Options {
	const { output_fields: fields, output_mode: mode = fields && 'selected_fields' } = accepted;
	if (mode === undefined) return accepted;
	if (mode !== 'selected_fields') return { ...accepted, output_fields: undefined };
	if (fields) return { ...accepted, output_mode: mode };
	throw new ExchangeError('invalid_input', {
		operation: operation.label,
		field: 'output_fields',
		what: 'Output is Selected Fields, and Fields names none',
		advice: 'Choose at least one field, or another Output; nothing was sent',
	});
}

function acceptOption(operation: Operation, name: string, value: unknown): unknown {
	const refuse = (what: string, advice?: string): never => {
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field: name.slice(0, 64),
			what,
			...(advice ? { advice: `${advice}; nothing was sent` } : {}),
		});
	};
	const offered = `The options are ${(operation.options ?? []).join(', ') || 'none'}`;
	if (!Object.hasOwn(described, name)) return refuse(`There is no option named ${name.slice(0, 64)}`, offered);
	const option = optionOf(operation, name as OptionId);
	if (!operation.options?.includes(name as OptionId))
		return refuse(`It has no option ${option.label}, so it would not do what the option says`, offered);
	if (isEmpty(value)) return refuse(`${option.label} is set and empty`, 'Give it a value, or take the option away');
	const verdict = acceptValue(option, value);
	if ('value' in verdict) return verdict.value;
	return refuse(
		`${option.label} ${verdict.reason}`,
		verdict.nearest === undefined ? undefined : `Enter ${verdict.nearest}`,
	);
}
