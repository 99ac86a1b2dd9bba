/** The forms of the action nodes as static html: a loop over the palette, nothing decided in the browser. Pure. */
import { isToChoose, type Field, type Option } from '@partner-exchange/core/catalogue';
import { isOptional, verbsInProduction, type PaletteNode, type Row } from '../src/palette';
import { attributes, form, row, select } from './html';

export const formOf = (node: PaletteNode): string =>
	form(node.type, [
		...headOf(),
		operationOf(node),
		...inputsOf(node),
		listOf(node),
		productionOf(node),
		optionsOf(node),
		keep,
		tipOf(node),
	]);

const keep = row(
	{ for: 'node-input-keep', icon: 'archive', key: 'common.keep', help: 'common.keepHelp' },
	'<input type="text" id="node-input-keep" data-example="row">',
);

/** The editor's script fills it in, with the name of a field that a message can bring. */
const tipOf = ({ rows }: PaletteNode): string =>
	rows.some(({ part }) => part === 'input') ? '\t<div class="form-tips" id="partner-exchange-message"></div>' : '';

export const headOf = (): string[] => [
	row({ for: 'node-input-name', icon: 'tag', key: 'common.name' }, '<input type="text" id="node-input-name">'),
	row(
		{ for: 'node-input-account', icon: 'key', key: 'common.account' },
		'<input type="text" id="node-input-account" style="width: calc(100% - 146px)">',
	),
];

function operationOf({ name, offers }: PaletteNode): string {
	if (offers.length === 1) return '';
	const choices = offers.map(({ verb }) => ({ value: verb, key: `${name}.operations.${verb}` }));
	return row(
		{ for: 'node-input-operation', icon: 'cogs', key: 'common.operation' },
		select('node-input-operation', choices),
	);
}

const inputsOf = (node: PaletteNode): string[] =>
	node.rows.filter((entry) => entry.part === 'input' && !isAside(entry)).map((entry) => rowOf(node, entry));

/** Fields that few people need are with the options. */
const isAside = ({ part, field }: Row): boolean => part === 'option' || field.aside === true;

/** The row's data says what the field is; the editor's script reads nothing else. */
function rowOf(node: PaletteNode, entry: Row): string {
	const { name, property, part, field, verbs, optionalIn } = entry;
	const optional = isOptional(entry);
	const id = `node-input-${property}`;
	const key = `${node.name}.fields.${name}`;
	const when = Object.entries(field.onlyWhen ?? {}).map(([sibling, value]) => `${sibling}=${value}`);
	const placeholder = optional ? 'common.optional' : field.pick ? 'common.ofList' : undefined;
	const input = attributes({
		type: 'text',
		id,
		class: 'partner-exchange-typed',
		'data-kind': field.kind,
		'data-values': field.values?.join(' '),
		'data-words': field.named && `${key}.values`,
		'data-pick': field.pick,
		'data-several': field.several ? '' : undefined,
		'data-none': noneOf(entry),
		'data-none-verbs': !field.values || optional || optionalIn.length === 0 ? undefined : optionalIn.join(' '),
		'data-only': onlyOf(field),
		'data-example': field.kind === 'json' ? undefined : field.example,
		'data-i18n': field.example || !placeholder ? undefined : `[placeholder]${placeholder}`,
	});
	return row(
		{ for: id, key: `${key}.label`, help: `${key}.help` },
		`<input${input}>\n\t\t<input type="hidden" id="${id}Type">${unitOf(field)}${worthOf(node, name)}`,
		{
			class: 'partner-exchange-row',
			'data-verbs': verbs.join(' '),
			'data-name': part === 'input' ? name : undefined,
			'data-when': when.length > 0 ? when.join(' ') : undefined,
			'data-beside': part === 'option' ? besideOf(node, field) : undefined,
		},
	);
}

/** What a choice without a value says. The form never makes a choice that decides something. */
function noneOf(entry: Row): string | undefined {
	const { field, part, optionalIn } = entry;
	if (optionalIn.length > 0) return field.values && (isAside(entry) ? 'common.notSet' : 'common.any');
	return part === 'input' && isToChoose(field) ? 'common.choose' : undefined;
}

/** The choice that leaves one value, and that value: `recipient_type=fiat NGN`. */
const onlyOf = ({ onlyValue }: Field): string | undefined =>
	onlyValue && `${Object.entries(onlyValue.when)[0]!.join('=')} ${onlyValue.value}`;

/** The option that an option has no effect without, and the value that means without: `wait=none`. */
function besideOf({ rows }: PaletteNode, { beside = [] }: Option): string | undefined {
	const other = rows.find(({ part, name }) => part === 'option' && beside.includes(name));
	return other && `${other.property}=${String(other.field.default)}`;
}

/** Filled in from the pair of the form, because pairs are discovered. */
const unitOf = ({ unit }: Field): string =>
	unit === undefined ? '' : `\n\t\t<span class="partner-exchange-unit" data-unit="${unit}"></span>`;

/** The editor's script says there what an order comes to, where the form names all of it. */
const worthOf = ({ rows }: PaletteNode, field: string): string =>
	field === 'quantity' && rows.some(({ name }) => name === 'side')
		? '\n\t\t<span class="partner-exchange-unit" id="partner-exchange-worth" role="status"></span>'
		: '';

/** Reading needs no permission; changing something where money is real has to be meant, node by node. */
function productionOf(node: PaletteNode): string {
	const verbs = verbsInProduction(node);
	if (verbs.length === 0) return '';
	const row = attributes({
		class: 'form-row partner-exchange-check partner-exchange-row',
		'data-verbs': verbs.join(' '),
		'data-production': '',
	});
	return `\t<div${row}><input type="checkbox" id="node-input-production"><label for="node-input-production" data-i18n="common.production"></label></div>`;
}

/** How many results a list collects, and whether they travel together. */
function listOf({ hasList, offers }: PaletteNode): string {
	if (!hasList) return '';
	const verbs = offers.filter(({ operation }) => operation.list).map(({ verb }) => verb);
	const shared = { class: 'partner-exchange-row', 'data-verbs': verbs.join(' ') };
	const limit =
		'<input type="text" id="node-input-limit" class="partner-exchange-typed" data-kind="integer">\n\t\t<input type="hidden" id="node-input-limitType">';
	const outputs = [
		{ value: 'array', key: 'common.outputArray' },
		{ value: 'each', key: 'common.outputEach' },
	];
	return [
		row({ for: 'node-input-limit', key: 'common.limit', help: 'common.limitHelp' }, limit, shared),
		row({ for: 'node-input-output', key: 'common.output' }, select('node-input-output', outputs), shared),
	].join('\n');
}

/** What is set most often comes first: waiting for the result before the names that the service may be given. */
function optionsOf(node: PaletteNode): string {
	const aside = node.rows.filter((entry) => isAside(entry));
	const rows = [...aside.filter(({ part }) => part === 'option'), ...aside.filter(({ part }) => part === 'input')];
	if (rows.length === 0) return '';
	const content = rows.map((entry) => rowOf(node, entry)).join('\n');
	return `\t<details class="partner-exchange-options">\n\t\t<summary data-i18n="common.options"></summary>\n${content}\n\t</details>`;
}
