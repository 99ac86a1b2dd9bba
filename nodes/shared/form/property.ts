import type { Field, FieldKind, Option, Unit } from '@partner-exchange/core/catalogue';
import type { INodeProperties, INodePropertyOptions, NodePropertyTypes } from 'n8n-workflow';
import { titleCase } from './names';
import { pickMode, searchMethod } from './pickers';

/** n8n requires lists of at least this many choices to be sorted. */
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

/** The service lists the pairs, so the hint names the unit for any pair, with USD/NGN as the example. */
const units: Record<Unit, string> = {
	base: 'In the base currency of the pair, which is USD in USD/NGN',
	quotePerBase: 'In the quote currency per unit of the base currency, which is NGN per USD in USD/NGN',
	quote: 'In the quote currency of the pair, which is NGN in USD/NGN',
};

/** Converts a field of the catalogue to an n8n input. */
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

/** A resource locator: a searchable list, or the value typed by hand. */
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

/** Long lists are sorted by name, as n8n requires; durations keep their own order. */
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

/** n8n style: a description ends with a period only if it has several sentences; the catalogue writes one clause. */
const sentence = (help: string): string => (/[.;] /.test(help) && /\. [A-Z]/.test(help) ? `${help}.` : help);
