/** Help pages in the house format of Node-RED, from the catalogue's own words. Pure. */
import {
	operationOf,
	usual,
	type Operation,
	type OperationId,
	commandOf,
	routeOf,
	additions,
	type AdditionId,
	type Field,
	type Shape,
} from '@partner-exchange/core/catalogue';
import type { Offer, PaletteNode, Row } from '../src/palette';
import { script } from './html';
import { introductions } from './words';

export function helpOf(node: PaletteNode): string {
	const several = node.offers.length > 1;
	const [first] = node.offers;
	const text = [
		several ? introductions[node.name] : sentence(first!.operation.help),
		several
			? node.offers.map(({ operation }) => `- **${operation.label}**: ${sentence(operation.help)}`).join('\n')
			: undefined,
		'### Inputs',
		[...inputsOf(node), ...(node.outputs === 2 ? [intentInput] : [])].join('\n') ||
			'Any message starts it; it takes no values.',
		'### Outputs',
		outputsOf(node),
		'### Details',
		...detailsOf(node),
		'### References',
		references(node),
	];
	return page(node.type, text.filter((part) => part !== undefined).join('\n\n'));
}

/** The first line is the tooltip in the palette. Indentation would turn a page into code. */
export const page = (type: string, text: string): string => script('text/markdown', { 'data-help-name': type }, text);

export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const intentInput =
	': intentKey (string) : Your own name for what this message wants, such as an invoice number. The same name never places a second order.';

const typeWords: Record<Field['kind'], string> = {
	text: 'string',
	id: 'string',
	decimal: 'string',
	integer: 'number',
	boolean: 'boolean',
	choice: 'string',
	choices: 'array',
	timestamp: 'string',
	json: 'object',
};

function inputsOf(node: PaletteNode): string[] {
	const rows = node.rows.filter(({ part }) => part === 'input').map((row) => inputLine(node, row));
	return node.hasList
		? [...rows, ': payload.limit (number) : Most results in all. The form starts with 50; empty means every result.']
		: rows;
}

function inputLine({ offers }: PaletteNode, { name, field, verbs, optional }: Row): string {
	const facts = [
		`${field.label}. ${sentence(field.help)}`,
		field.values ? `One of ${field.values.map((value) => `\`${value}\``).join(', ')}.` : undefined,
		...Object.entries(field.onlyWhen ?? {}).map(([sibling, value]) => `Only when \`${sibling}\` is \`${value}\`.`),
		optional ? 'Optional.' : undefined,
		verbs.length < offers.length ? `For ${verbs.map((verb) => labelOf(offers, verb)).join(', ')}.` : undefined,
		field.kind === 'decimal' ? 'A decimal written as text, so that no digit is lost.' : undefined,
	];
	return `: payload.${name} (${typeWords[field.kind]}) : ${facts.filter(Boolean).join(' ')}`;
}

const labelOf = (offers: readonly Offer[], verb: string): string =>
	offers.find((offer) => offer.verb === verb)!.operation.label;

function outputsOf({ outputs, hasList, offers }: PaletteNode): string {
	const record = offers.some(({ operation }) => !operation.list);
	const answer = [
		record ? answerLine : undefined,
		...addedBy(offers),
		hasList ? ': payload (array) : The results, or one message per result, as the form says.' : undefined,
	].filter(Boolean);
	if (outputs === 1) return answer.join('\n');
	return [
		`1. answer`,
		[answerLine, ...addedBy(offers)].join('\n'),
		`2. outcome unknown`,
		`: payload (object) : \`outcome\` is \`unknown\`, with \`client_order_id\` and \`idempotency_key\`. The order may exist or not: find out with a resolve order node, and never send it again blindly.`,
	].join('\n\n');
}

const answerLine = ': payload (object) : The answer of the service, as it was sent.';

/** What the nodes add to the answer, so that a person knows what to look for. */
const addedBy = (offers: readonly Offer[]): string[] =>
	[...new Set(offers.flatMap(({ operation }) => operation.adds ?? []))].map(addedLine);

function addedLine(id: AdditionId): string {
	const { shape, help }: { shape: Shape; help: string } = additions[id];
	const type = typeof shape !== 'string' ? (Array.isArray(shape) ? 'array' : 'object') : (scalars[shape] ?? 'object');
	return `: payload.${id} (${type}) : ${sentence(help)}`;
}

const scalars: Readonly<Record<string, string>> = { text: 'string', boolean: 'boolean' };

function detailsOf({ offers, outputs, rows }: PaletteNode): string[] {
	const operations = offers.map(({ operation }) => operation);
	const notShown = operations
		.filter(({ outputNotShown }) => outputNotShown)
		.map(({ label, outputNotShown }) => `- ${label}: ${sentence(outputNotShown!)}`);
	const options = rows
		.filter(({ part }) => part === 'option')
		.map(({ field }) => `- **${field.label}**: ${sentence(field.help)}`);
	return [
		'The form holds the defaults; a field of the same name in `msg.payload` wins. A record of the service in the payload, such as an order that was just read, only fills what the form leaves empty. Every other property of the message is kept.',
		'Errors go to a Catch node with `msg.error.code` and, in `msg.error.cause`, the status, the field and the advice.',
		...(outputs === 2
			? [
					'Attempts of one message carry the same idempotency key, so a repeated message or a retry never places a second order. A second click is another message: only the same `intentKey` makes it the same order. Messages without `intentKey` are told apart by `_msgid` and values.',
				]
			: []),
		...(operations.some(({ nonProduction }) => nonProduction)
			? ['It is refused for a production account before anything is sent, and needs no API key.']
			: []),
		`Fields of the answer:\n\n${offers.map(({ id, operation }) => `- ${operation.label}: ${fieldsOf(id)}`).join('\n')}`,
		'Every code and what to do about it stands in the help of the account.',
		...(options.length > 0 ? [`Options and guards:\n\n${options.join('\n')}`] : []),
		...(notShown.length > 0
			? [`The service does not document every answer; what it sends is passed on untouched.\n\n${notShown.join('\n')}`]
			: []),
	];
}

/** The fields as the service names them; of a record it does not show, those it usually has. */
function fieldsOf(id: OperationId): string {
	const { output }: Operation = operationOf(id);
	const shown = typeof output === 'object' && !Array.isArray(output) ? output : usual[id];
	const names = Object.keys((shown as object | undefined) ?? {});
	const certain = typeof output === 'object';
	if (names.length === 0) return 'as the service sends them.';
	return `${names.map((name) => `\`${name}\``).join(', ')}${certain ? '.' : ' and others; the service does not document them.'}`;
}

function references({ offers }: PaletteNode): string {
	const ways = offers.map(
		({ operation }) =>
			routeOf(operation) ??
			(commandOf(operation) ? `command ${commandOf(operation)}` : 'the order list, matched by client_order_id'),
	);
	return ways.map((way) => `- \`${way}\``).join('\n');
}
