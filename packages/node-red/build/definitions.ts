/** The editor's definition of each action node: one literal `registerType` per type, as catalogues read it. Pure. */
import { isToChoose } from '@partner-exchange/core/catalogue';
import { verbsInProduction, type PaletteNode, type Row } from '../src/palette';
import { ACCOUNT_TYPE } from '../src/types';
import { familyOf, paletteTitles } from './words';

export function definitionOf(node: PaletteNode): string {
	const { color, icon } = familyOf(node.name);
	const verb = node.offers[0]!.verb;
	const operation = node.offers.length > 1 ? [`operation: { value: '${verb}' },`] : [];
	const list = node.hasList
		? [
				`limit: { value: '50', validate: partnerExchange.valid('integer', 'limit', 'common.limit') },`,
				`limitType: { value: 'str' },`,
				`output: { value: 'array' },`,
			]
		: [];
	return definition(node.type, [
		`category: 'partner exchange',`,
		`color: '${color}',`,
		'defaults: {',
		...[
			...commonDefaults,
			...operation,
			...node.rows.flatMap((row) => defaultsOf(node, row)),
			...list,
			...ownDefaults(node),
		].map((line) => `\t${line}`),
		'},',
		'inputs: 1,',
		`outputs: ${node.outputs},`,
		`icon: '${icon}',`,
		...paletteLabel(node.name),
		'label: function () {',
		`\treturn this.name || ${labelOf(node)};`,
		'},',
		...labelStyle,
		'outputLabels: function (port) {',
		`\treturn this._(port === 0 ? 'common.ports.answer' : 'common.ports.unknown');`,
		'},',
		'oneditprepare: function () {',
		'\tpartnerExchange.prepare(this);',
		'},',
	]);
}

/**
 * What the node will do: the order in its form, or the operation chosen, beside the name under which it was found where
 * that is not how the operation begins.
 */
function labelOf({ name, offers, rows }: PaletteNode): string {
	const title = `this._('titles.${name}')`;
	const [verb = ''] = name.split('-');
	const isSaid = offers.every(({ operation }) => operation.label.toLowerCase().startsWith(`${verb} `));
	if (offers.length > 1) return `${isSaid ? '' : `${title} + ': ' + `}this._('${name}.operations.' + this.operation)`;
	const isOrder = ['pair_id', 'side', 'quantity'].every((part) => rows.some((row) => row.name === part));
	return isOrder ? `partnerExchange.orderLabel(this) || ${title}` : title;
}

/** Settings of a node that are no inputs of its operations. */
const ownDefaults = (node: PaletteNode): string[] => [
	...(verbsInProduction(node).length > 0 ? [`production: { value: false },`] : []),
	`keep: { value: '' },`,
];

export const definition = (type: string, lines: readonly string[]): string =>
	[`RED.nodes.registerType('${type}', {`, ...lines.map((line) => `\t${line}`), '});'].join('\n');

export const paletteLabel = (name: string): string[] => [
	'paletteLabel: function () {',
	`\treturn this._('${Object.hasOwn(paletteTitles, name) ? 'palette' : 'titles'}.${name}');`,
	'},',
];

export const labelStyle = ['labelStyle: function () {', `\treturn this.name ? 'node_label_italic' : '';`, '},'];

export const commonDefaults = [
	`name: { value: '' },`,
	// With its label, the editor says in words what is wrong with it.
	`account: { value: '', type: '${ACCOUNT_TYPE}', required: true, label: partnerExchange.say('common.account') },`,
];

function defaultsOf({ name: node }: PaletteNode, { name, property, field, part, optionalIn }: Row): string[] {
	const type = field.kind === 'boolean' ? 'bool' : field.kind === 'json' ? 'json' : 'str';
	const start = field.preset ?? field.default;
	const value =
		start !== undefined
			? String(start)
			: part === 'input' && field.kind === 'choice' && optionalIn.length === 0 && !isToChoose(field)
				? field.values![0]!
				: startOf(type);
	return [
		`${property}: { value: '${value}', validate: partnerExchange.valid('${field.kind}', '${property}', '${node}.fields.${name}.label') },`,
		`${property}Type: { value: '${type}' },`,
	];
}

const startOf = (type: string): string => (type === 'json' ? '{}' : type === 'bool' ? 'false' : '');
