/** Help pages in the house format of Node-RED, from the catalogue's own words. Pure. */
import {
	operationOf,
	usual,
	type Operation,
	type OperationId,
	commandOf,
	controlOf,
	routeOf,
	additions,
	type AdditionId,
	type Field,
	type Shape,
} from '@partner-exchange/core/catalogue';
import { isOptional, type Offer, type PaletteNode, type Row } from '../src/palette';
import { script } from './html';
import { sayLabel, sayName, type Say } from './say';
import { introductions } from './words';

export function helpOf(node: PaletteNode, say: Say): string {
	const several = node.offers.length > 1;
	const [first] = node.offers;
	const text = [
		several ? say(introductions[node.name as keyof typeof introductions]) : sentence(say(first!.operation.help)),
		several
			? node.offers
					.map(({ operation }) => `- **${sayName(say, operation.label)}**: ${sentence(say(operation.help))}`)
					.join('\n')
			: undefined,
		say('### Inputs'),
		[...inputsOf(node, say), ...(node.outputs === 2 ? [say(intentInput)] : [])].join('\n') ||
			say('Any message starts it; it takes no values.'),
		say('### Outputs'),
		outputsOf(node, say),
		say('### Details'),
		...detailsOf(node, say),
		...references(node, say),
	];
	return page(node.type, text.filter((part) => part !== undefined).join('\n\n'));
}

/** The first line is the tooltip in the palette. Indentation would turn a page into code. */
export const page = (type: string, text: string): string => {
	const said = text
		.replace(PROPERTY, withOneColon)
		.replace(ROUTE, '- <code class="partner-exchange-route">$1</code>')
		.replace(ADDRESS, '`$&`');
	return script('text/markdown', { 'data-help-name': type }, said);
};

const PROPERTY = /^(: [^:]+ : )(.+)$/gm;
/** Node-RED breaks no code, and the end of a long route would be outside the sidebar. */
const ROUTE = /^- `([^`]+)`$/gm;
/** Node-RED makes a link of a mail address, and those of a sandbox receive nothing. */
const ADDRESS = /\b\w{1,64}@\w{1,64}\.\w{1,64}/g;

/** Node-RED takes the last colon of a line for the one before the text of a property, and drops what is between. */
const withOneColon = (_line: string, name: string, text: string): string => name + text.replaceAll(': ', '&#58; ');

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

function inputsOf(node: PaletteNode, say: Say): string[] {
	const rows = node.rows.filter(({ part }) => part === 'input').map((row) => inputLine(node, row, say));
	return node.hasList ? [...rows, say(limitInput)] : rows;
}

const limitInput = ': payload.limit (number) : Most results in all. The form starts with 50; empty means every result.';

function inputLine({ offers }: PaletteNode, entry: Row, say: Say): string {
	const { name, field, verbs } = entry;
	const values = field.values?.map((value) => `\`${value}\``).join(', ');
	const operations = verbs
		.map((verb) => sayName(say, offers.find((offer) => offer.verb === verb)!.operation.label))
		.join(', ');
	const facts = [
		`${sayLabel(say, field.label)}. ${sentence(say(field.help))}`,
		values ? say('One of {values}.', { values }) : undefined,
		...Object.entries(field.onlyWhen ?? {}).map(([sibling, value]) =>
			say('Only when `{sibling}` is `{value}`.', { sibling, value }),
		),
		isOptional(entry) ? say('Optional.') : undefined,
		verbs.length < offers.length ? say('For {operations}.', { operations }) : undefined,
		field.kind === 'decimal' ? say('A decimal written as text, so that no digit is lost.') : undefined,
	];
	return `: payload.${name} (${typeWords[field.kind]}) : ${facts.filter(Boolean).join(' ')}`;
}

function outputsOf({ outputs, hasList, offers }: PaletteNode, say: Say): string {
	const [record] = offers.filter(({ operation }) => !operation.list).map(({ operation }) => operation.run.via);
	const answer = [
		record ? say(record === 'lookup' || record === 'process' ? foundLine : answerLine) : undefined,
		...addedBy(offers, say),
		hasList ? say(': payload (array) : The results, or one message per result, as the form says.') : undefined,
	].filter(Boolean);
	if (outputs === 1) return answer.join('\n');
	// An empty line would end the list of outputs, and each would be the first.
	return [[`1. ${say('answer')}`, ...answer].join('\n'), `2. ${say('outcome unknown')}\n${say(unknownLine)}`].join(
		'\n\n',
	);
}

const answerLine = ': payload (object) : The answer of the service, as it was sent.';
const foundLine = ': payload (object) : What it found.';
const unknownLine =
	': payload (object) : `outcome` is `unknown`, with `client_order_id` and `idempotency_key`. The order may exist or not: find out with a resolve order node, and never send it again blindly.';

/** What the nodes add to the answer, so that a person knows what to look for. */
const addedBy = (offers: readonly Offer[], say: Say): string[] =>
	[...new Set(offers.flatMap(({ operation }) => operation.adds ?? []))].map((id) => addedLine(id, say));

function addedLine(id: AdditionId, say: Say): string {
	const { shape, help }: { shape: Shape; help: string } = additions[id];
	const type = Array.isArray(shape) ? 'array' : (typeWords[shape as Field['kind']] ?? 'object');
	return `: payload.${id} (${type}) : ${sentence(say(help))}`;
}

function detailsOf({ offers, outputs, rows }: PaletteNode, say: Say): string[] {
	const operations = offers.map(({ operation }) => operation);
	const options = rows
		.filter(({ part }) => part === 'option')
		.map(({ field }) => `- **${sayLabel(say, field.label)}**: ${sentence(say(field.help))}`);
	const fields = offers.map(({ id, operation }) => `- ${sayName(say, operation.label)}: ${fieldsOf(id, say)}`);
	return [
		say(details.values),
		`${say(details.errors)} ${say('The help of the account lists every code and what to do about it.')}`,
		...(outputs === 2 ? [say(details.identity)] : []),
		...(operations.some(({ nonProduction, sandboxOnly }) => nonProduction && !sandboxOnly)
			? [say(details.nonProduction)]
			: []),
		...(operations.some(({ sandboxOnly }) => sandboxOnly) ? [say(details.sandboxOnly)] : []),
		`${say('Fields of the answer:')}\n\n${fields.join('\n')}`,
		...(options.length > 0 ? [`${say('Options:')}\n\n${options.join('\n')}`] : []),
	];
}

const details = {
	values:
		'What the form fixes stays fixed. A field of the same name in `msg.payload` fills only what the form leaves empty. Where the message is to decide, leave the field empty, or let it point at a property such as `msg.payload.side`. Every other property of the message is kept.',
	errors:
		'Errors go to a Catch node with `msg.error.code` and, in `msg.error.cause`, the status, the field and the advice.',
	identity:
		'Attempts of one message carry the same idempotency key, so a repeated message or a retry never places a second order. A second click is another message: only the same `intentKey` makes it the same order. Messages without `intentKey` are told apart by `_msgid` and values.',
	nonProduction: 'It is refused for a production account before anything is sent, and needs no API key.',
	sandboxOnly:
		'It is refused for accounts of other environments before anything is sent. A sandbox on another machine needs its control token in the account.',
} as const;

/** The fields as the service names them; of a record it does not show, those it usually has. */
function fieldsOf(id: OperationId, say: Say): string {
	const { output, outputNotShown }: Operation = operationOf(id);
	const shape = typeof output === 'object' && !Array.isArray(output) ? output : usual[id];
	const names = Object.keys((shape as object | undefined) ?? {});
	if (names.length === 0) return say('as the service sends them.');
	const fields = names.map((name) => `\`${name}\``).join(', ');
	return outputNotShown === undefined
		? `${fields}.`
		: say('{fields} and others; the service does not document them.', { fields });
}

/** None where nothing is sent. */
function references({ offers }: PaletteNode, say: Say): string[] {
	const sent = offers.filter(({ operation }) => operation.run.via !== 'process');
	const ways = sent.map(({ operation }) => {
		const [route, command] = [routeOf(operation) ?? controlOf(operation), commandOf(operation)];
		if (route) return `- \`${route}\``;
		return `- ${command ? say('command {command}', { command }) : say('the order list, matched by client_order_id')}`;
	});
	return ways.length === 0 ? [] : [say('### References'), ways.join('\n')];
}
