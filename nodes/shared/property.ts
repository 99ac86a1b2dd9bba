import type { Field, FieldKind, Option, Unit } from '@partner-exchange/core/catalogue';
import type { INodeProperties, INodePropertyOptions, NodePropertyTypes } from 'n8n-workflow';
import { pickMode, searchMethod } from './pickers';
import { titleCase } from './names';

/** n8n sorts lists of at least so many choices. */
const SORTED_FROM = 5;

/** Amounts are typed as text: a number input would round them. */
const widgets: Record<FieldKind, NodePropertyTypes> = {
	text: 'string',
	id: 'string',
	decimal: 'string',
	integer: 'number',
	boolean: 'boolean',
	choice: 'options',
	choices: 'multiOptions',
	timestamp: 'dateTime',
	json: 'json',
};

/** Pairs are discovered, so the unit is said for any of them and shown for the one there is. */
const units: Record<Unit, string> = {
	base: 'In the first currency of the pair: USD for USD/NGN',
	quotePerBase: 'In the second currency for one of the first: NGN per USD for USD/NGN',
	quote: 'In the second currency of the pair: NGN for USD/NGN',
};

/** One field of the catalogue as one input of the form. */
export function property(name: string, field: Field): INodeProperties {
	const words = { displayName: field.label, name, description: sentence(field.help) };
	if (field.pick) return { ...words, ...picker(field) };
	return {
		...words,
		type: widgets[field.kind],
		default: defaultOf(field),
		...(field.example && field.kind !== 'json' ? { placeholder: `e.g. ${field.example}` } : {}),
		...(field.values ? { options: choicesOf(field.values) } : {}),
		...(field.unit ? { hint: units[field.unit] } : {}),
		...(field.kind === 'integer' && field.min !== undefined ? { typeOptions: { minValue: field.min } } : {}),
	};
}

/** A list to search, with the value typed by hand as the other way. */
export function picker(field: Field): Pick<INodeProperties, 'type' | 'default' | 'modes'> {
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Select ${field.label.toLowerCase().replace(/ id$/, '')}...`,
				typeOptions: { searchListMethod: searchMethod(field.pick!), searchable: true },
			},
			{ ...pickMode(field.pick!), type: 'string', ...(field.example ? { placeholder: `e.g. ${field.example}` } : {}) },
		],
	};
}

/** Long lists are read by name, as n8n has them everywhere; lengths of time keep their own order. */
export function choicesOf(values: readonly string[]): INodePropertyOptions[] {
	const choices = values.map((value) => ({ name: titleCase(value), value }));
	const hasOrder = values.length < SORTED_FROM || values.every((value) => /^\d/.test(value));
	return hasOrder ? choices : choices.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

function defaultOf(field: Option): string | number | boolean | string[] {
	if (field.default !== undefined) return field.default;
	switch (field.kind) {
		case 'choice':
			return field.values![0]!;
		case 'integer':
			return field.min ?? 0;
		case 'boolean':
			return false;
		case 'choices':
			return [];
		case 'json':
			return '{}';
		default:
			return '';
	}
}

/** n8n ends a description with a period only when it holds several sentences; the catalogue writes one clause. */
const sentence = (help: string): string => (/[.;] /.test(help) && /\. [A-Z]/.test(help) ? `${help}.` : help);
