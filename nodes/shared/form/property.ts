import { ExchangeError } from '@partner-exchange/core';
import { commaList, isEmpty } from '@partner-exchange/core/adapters';
import {
	isToChoose,
	type Field,
	type FieldKind,
	type ListenerField,
	type ListenerFields,
	type Option,
	type Unit,
} from '@partner-exchange/core/catalogue';
import type {
	INode,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
	NodePropertyTypes,
} from 'n8n-workflow';
import { byName, capital, titleCase } from './names';
import { loadMethod, pickMode, searchMethod } from './pickers';

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
	base: 'in the base currency of the pair, which is USD in USD/NGN',
	quotePerBase: 'in the quote currency per unit of the base currency, which is NGN per USD in USD/NGN',
	quote: 'in the quote currency of the pair, which is NGN in USD/NGN',
};

export const unitWords = (unit: Unit): string => units[unit];

/** Converts a field of the catalogue to an n8n input. */
export function property(name: string, field: Field): INodeProperties {
	const words = { displayName: field.label, name, description: sentence(field.help) };
	if (field.pick && field.kind === 'choices') return { ...words, ...listPicker(field) };
	// The list of a picker takes one value, so a field for several is text.
	if (field.pick && !field.several) return { ...words, ...picker(field) };
	return {
		...words,
		type: widgets[field.kind],
		default: defaultOf(field),
		...(field.example && field.kind !== 'json' ? { placeholder: `e.g. ${field.example}` } : {}),
		...(field.values ? { options: choicesOf(field) } : {}),
		...(field.unit ? { hint: capital(unitWords(field.unit)) } : {}),
		...(field.kind === 'integer' && field.min !== undefined
			? { typeOptions: { minValue: field.min, maxValue: field.max } }
			: {}),
	};
}

/** A resource locator: a searchable list, or the value typed by hand. */
function picker(field: Field): Pick<INodeProperties, 'type' | 'default' | 'modes'> {
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

/** A list of which several values are chosen. n8n prescribes how it is named and explained. */
const listPicker = ({
	label,
	help,
	pick,
}: Field): Partial<INodeProperties> & Pick<INodeProperties, 'type' | 'default'> => ({
	displayName: `${label.replace(/s$/, '')} Names or IDs`,
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: loadMethod(pick!) },
	default: [],
	description: `${help}. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
});

/** The fields of a trigger, each shown where `show` says and where a topic it is about is chosen. */
const propertiesOf = (fields: ListenerFields, show: Show = {}): INodeProperties[] =>
	Object.entries(fields).map(([name, field]) => ({
		...property(name, field),
		...(field.optional ? {} : requiredWhenEmpty(field)),
		...shownWhen(field.about ? { ...show, topics: [...field.about] } : show),
	}));

/** A user who adds a field wants its effect, so the field begins with the value that has one. */
export function added(name: string, field: Option): INodeProperties {
	const made = property(name, field);
	return { ...made, default: field.begins ?? (field.kind === 'boolean' ? field.default !== true : made.default) };
}

/** The form of a trigger: fields in sight, and two collections that stay out of sight until something is added. */
export interface TriggerForm {
	fields: ListenerFields;
	filters?: ListenerFields;
	options?: ListenerFields;
}

const COLLECTIONS = { filters: 'Filter', options: 'Option' } as const;

export function triggerForm({ fields, ...collections }: TriggerForm, show: Show = {}): INodeProperties[] {
	const open = propertiesOf(fields, show);
	// Within a collection, n8n addresses fields of the form from the root.
	const made = (name: CollectionName): INodeProperties[] =>
		Object.entries(collections[name] ?? {}).map(([each, field]) => ({
			...added(each, field),
			...shownWhen(field.about ? { '/topics': [...field.about] } : {}),
		}));
	const all = [...open, ...made('filters'), ...made('options')];
	return [
		...open,
		...namesOf(COLLECTIONS)
			.flatMap((name) => collection(name, made(name), all))
			.map((each) => ({ ...each, ...shownWhen(show) })),
	];
}

type CollectionName = keyof typeof COLLECTIONS;
const namesOf = Object.keys as <Name extends string>(of: Record<Name, unknown>) => Name[];

/** What is written in one collection and belongs into the other, or beside both, would be lost, so each refuses all others. */
export function collection(
	name: CollectionName,
	options: INodeProperties[],
	all: INodeProperties[],
): INodeProperties[] {
	if (options.length === 0) return [];
	const words = { displayName: capital(name), name, placeholder: `Add ${COLLECTIONS[name]}` };
	return [{ ...words, type: 'collection', default: {}, options: withRefused(options, all) }];
}

/** What a trigger has in its collections. */
export const addedTo = (
	host: Pick<IPollFunctions, 'getNode' | 'getNodeParameter'>,
	form: Omit<TriggerForm, 'fields'>,
): object =>
	Object.assign(
		{},
		...namesOf(COLLECTIONS).map((name) => {
			const values = fieldsOf(host.getNodeParameter(name, {}), name);
			refuseOthers(values, Object.keys(form[name] ?? {}));
			refuseFoundNothing(host.getNode().parameters[name] as INodeParameters, form[name] ?? {}, values);
			return values;
		}),
	) as object;

/**
 * Refuses an optional field or a filter whose expression has no result. Dropping the field would change what is done, and
 * dropping the filter would lengthen the list or tell a trigger's workflow of everything.
 */
export function refuseFoundNothing(
	written: INodeParameters = {},
	fields: Readonly<Record<string, { label: string }>>,
	values: Record<string, unknown>,
	operation?: string,
): void {
	const name = Object.keys(fields).find(
		(each) => isExpression(picked(written[each])) && commaList(picked(values[each])).length === 0,
	);
	if (name === undefined) return;
	throw new ExchangeError('invalid_input', {
		...(operation === undefined ? {} : { operation }),
		field: name,
		what: `The expression of ${fields[name]!.label} found nothing`,
		advice: 'Correct the expression or take the field away; nothing was sent',
	});
}

export const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** The value of a resource locator, whether picked from the list or typed. */
export const picked = (value: unknown): unknown =>
	typeof value === 'object' && value !== null && '__rl' in value
		? (value as unknown as { value: unknown }).value
		: value;

/** What a collection offers, and beside it, hidden, what a run refuses: other spellings, and what belongs elsewhere. */
function withRefused(options: INodeProperties[], elsewhere: INodeProperties[]): INodeProperties[] {
	const known = new Set(options.map(({ name }) => name));
	const names = [...options.flatMap(spellings), ...elsewhere.flatMap((each) => [each.name, ...spellings(each)])];
	return [
		...options,
		...[...new Set([...names, FIRST])].filter((name) => !known.has(name)).map((name) => refusedAs(name)),
	];
}

/** Where a workflow has an expression, other text or a list in place of a collection, n8n takes the first part of it as this. */
const FIRST = '0';

/**
 * n8n tells a node nothing of a name that its form does not have, and without its `dryRun` an order would be placed. So the form
 * has that name, hidden, and a run refuses it.
 */
export const refusedAs = (name: string, place?: string): INodeProperties => ({
	displayName: 'Refused',
	name,
	type: 'hidden',
	default: '',
	...(place === undefined ? {} : { hint: place }),
});

/**
 * How a program may write a field that it knows from a page: `dryRun` for `dry_run`, and `max_value` for what is called
 * Maximum Value.
 */
function spellings({ displayName, name }: INodeProperties): string[] {
	const texts = [name.replaceAll(/[A-Z]/g, ' $&'), displayName, displayName.replace('imum', '')];
	return texts.flatMap((text) => {
		const [first = '', ...rest] = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
		return [[first, ...rest].join('_'), first + rest.map(capital).join('')];
	});
}

/**
 * A form and, hidden, the names at its top that belong elsewhere or are written otherwise, each with the places where it
 * belongs. They are those of a part of it where only that part changes anything.
 */
export function withStrays(form: INodeProperties[], part = form): INodeProperties[] {
	const top = new Set(form.map(({ name }) => name));
	const collections = { Filters: 'filters', additionalFields: 'options', additional_fields: 'options' };
	const strays = new Map(Object.entries(collections).map(([name, place]) => [name, new Set([place])]));
	const add = (names: string[], place: string): void => {
		for (const name of names) if (!top.has(name)) strays.set(name, (strays.get(name) ?? new Set()).add(place));
	};
	for (const each of part) {
		if (each.type !== 'notice' && each.type !== 'hidden') add(spellings(each), each.name);
		if (each.type !== 'collection') continue;
		for (const field of each.options as INodeProperties[])
			if (field.type !== 'hidden') add([field.name, ...spellings(field)], `${each.name}.${field.name}`);
	}
	return [...form, ...[...strays].map(([name, places]) => refusedAs(name, [...places].join(' or ')))];
}

/** What a node shows, made by the build: a run makes none. */
export type Form = readonly INodeProperties[];

/** Refuses what a workflow has where nothing of its form reads it. */
export function refuseStrays({ parameters }: Pick<INode, 'parameters'>, form: Form): void {
	for (const { type, name, hint } of form)
		if (type === 'hidden' && hint !== undefined && !isEmpty(parameters[name])) throw stray(name, hint);
}

const LEFT_BEHIND =
	'If the form does not show it, an earlier choice left it behind: choose that operation again, take it away there, and come back';

export const stray = (name: string, place: string): ExchangeError =>
	new ExchangeError('invalid_input', {
		field: name,
		what: `The workflow has ${name} where nothing reads it`,
		advice: `Write it as ${place}, and open the node to see it in its form. ${LEFT_BEHIND}; nothing was sent`,
	});

/** The fields of a collection, of which a list or text has none. */
export function fieldsOf(collection: unknown, name: string): Record<string, unknown> {
	if (typeof collection !== 'object' || collection === null) return {};
	if (!Object.hasOwn(collection, FIRST)) return { ...collection };
	throw new ExchangeError('invalid_input', {
		field: name,
		what: `${capital(name)} are written as text or as a list, of which n8n reads nothing`,
		advice: 'Write them as an object, and an expression as the value of a single one; nothing was sent',
	});
}

/** Refuses a name that a form has only for that. A person who changes the operation in the form may leave one behind. */
export function refuseOthers(added: object, offered: readonly string[]): void {
	const other = Object.keys(added).find((name) => !offered.includes(name));
	if (other === undefined) return;
	throw new ExchangeError('invalid_input', {
		field: other,
		what: `There is no option named ${other} here`,
		advice: `Take it out of the workflow. ${LEFT_BEHIND}. There are ${offered.join(', ') || 'none'}`,
	});
}

type Show = Record<string, string[]>;

const shownWhen = (show: Show): Pick<INodeProperties, 'displayOptions'> =>
	Object.keys(show).length > 0 ? { displayOptions: { show } } : {};

const requiredWhenEmpty = ({ kind }: ListenerField): Pick<INodeProperties, 'required'> =>
	kind === 'choice' || kind === 'boolean' ? {} : { required: true };

/** Long lists are sorted by name, as n8n requires; durations keep their own order. */
function choicesOf({ values = [], named }: Pick<Field, 'values' | 'named'>): INodePropertyOptions[] {
	const choices = values.map((value) => ({
		name: named?.[value]?.label ?? titleCase(value),
		value,
		...(named?.[value]?.help ? { description: named[value].help } : {}),
	}));
	const hasOrder = values.length < SORTED_FROM || values.every((value) => /^\d/.test(value));
	return hasOrder ? choices : choices.sort(byName);
}

function defaultOf(field: Option): string | number | boolean | string[] {
	if (field.default !== undefined) return typeof field.default === 'object' ? [...field.default] : field.default;
	switch (field.kind) {
		case 'choice':
			return isToChoose(field) ? '' : field.values![0]!;
		case 'integer':
			return Number(field.example ?? field.min ?? 0);
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
