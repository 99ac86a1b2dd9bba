import {
	commandOf,
	controlOf,
	routeOf,
	additions,
	nameParts,
	operationIds,
	operationOf,
	options,
	type Field,
	type Operation,
	type OperationId,
	type Option,
	type OptionId,
	type Shape,
} from '../../packages/core/src/catalogue';
import { code, generated, page, table } from './words';

const accessWords: Record<Operation['access'], string> = {
	public: 'no key',
	exchangeRead: 'key with exchange reads',
	orderCreate: 'key with order creation',
	orderExecute: 'key with order execution',
	walletRead: 'key with wallet reads',
	recipients: 'key with recipient management',
};

/** The reference of every operation: words, route, access, inputs and answer. */
export function operationsPage(): string {
	const resources = [...new Set(operationIds.map((id) => nameParts(id).resource))];
	const operations = operationIds.map(operationOf);
	const used = <T extends string>(all: object, of: (operation: Operation) => readonly T[] | undefined): T[] =>
		(Object.keys(all) as T[]).filter((id) => operations.some((operation) => of(operation)?.includes(id)));
	return page(
		generated,
		'# Operations',
		'Every operation of the service: the label of the forms, the name the client has for it, as in `client.order.create(input)`, and what is asked of the service. ' +
			'Inputs and answers carry the names of the service, and an input in italics may be left out. The forms and the types of the client say what each input means. ' +
			'What the service does not show is listed in [assumptions.md](assumptions.md).',
		table(['Of', 'Operation', 'What it does', 'Inputs', 'Answer'], resources.flatMap(rowsOf)),
		'## Options',
		'Each operation offers those that make sense for it.',
		table(['Option', 'Kind', 'Default', 'Meaning'], used(options, (operation) => operation.options).map(optionRow)),
		'## Added fields',
		'What the client adds to an answer of the service.',
		table(['Field', 'Kind', 'Meaning'], used(additions, ({ adds }) => adds).map(additionRow)),
		'[The interface](interface.md#topics) has the topics of the stream.',
	);
}

/** The operations of a resource. */
const rowsOf = (resource: string): string[][] =>
	operationIds.filter((id) => nameParts(id).resource === resource).map((id) => [titled(resource), ...row(id)]);

function row(id: OperationId): string[] {
	const operation = operationOf(id);
	return [
		[`**${operation.label}**`, code(id), wire(operation), accessWords[operation.access]].join('<br>'),
		`${[operation.help, ...refusals(operation)].join('. ')}.`,
		Object.entries(operation.input).map(input).join(', '),
		[answer(operation), follows(operation)].filter(Boolean).join(' '),
	];
}

function refusals({ sandboxOnly, nonProduction }: Operation): string[] {
	if (sandboxOnly) return ['Refused outside environment sandbox'];
	return nonProduction ? ['Refused in production'] : [];
}

function wire(operation: Operation): string {
	const { run } = operation;
	const [route, command] = [routeOf(operation) ?? controlOf(operation), commandOf(operation)];
	if (route) return code(route);
	if (command) return `command ${code(command)} on the stream`;
	if (run.via === 'composed') return `computed from ${run.of.map(code).join(', ')}`;
	return run.via === 'process' ? 'nothing is sent' : `${code('order.list')}, matched by ${code('client_order_id')}`;
}

function input([name, { optional, onlyWhen, values }]: [string, Field]): string {
	const conditions = Object.entries(onlyWhen ?? {}).map(([sibling, value]) => `${code(sibling)} is ${code(value)}`);
	const notes = [
		...(values ? [values.map(code).join(', ')] : []),
		...(conditions.length > 0 ? [`if ${conditions.join(' and ')}`] : []),
	];
	const named = optional ? `_${code(name)}_` : code(name);
	return notes.length > 0 ? `${named} (${notes.join('; ')})` : named;
}

const kind = ({ kind: name, values }: Field): string => (values ? values.map(code).join(', ') : name);

function optionRow(id: OptionId): string[] {
	const option: Option = options[id];
	return [code(id), kind(option), option.default === undefined ? '' : code(String(option.default)), option.help];
}

function answer({ output, outputNotShown, list }: Operation): string {
	const fields = fieldsOf(output);
	const note = outputNotShown ? ` ${outputNotShown}.` : '';
	if (fields.length === 0) return `Passed on as the service sends it.${note}`;
	const rows = list ? `Each of ${list.at === undefined ? 'an array' : code(list.at)}: ` : '';
	return `${rows}${fields.join(', ')}.${note}`;
}

/** A command is only acknowledged, so the client reads the order afterwards. */
function follows(operation: Operation): string {
	const record = operation.follows;
	if (!record) return '';
	const when = commandOf(operation) ? 'Afterwards the order is read' : 'With Wait Until the order is read as well';
	return `${when}, and its fields are added to these: ${Object.keys(record).map(code).join(', ')}.`;
}

function additionRow(id: keyof typeof additions): string[] {
	const { shape, help }: { shape: Shape; help: string } = additions[id];
	const kinds =
		typeof shape === 'string' ? shape : Array.isArray(shape) ? `list of ${shape[0]}` : fieldsOf(shape).join(', ');
	return [code(id), kinds, help];
}

function fieldsOf(shape: Shape, path = ''): string[] {
	if (typeof shape === 'string') return path === '' ? [] : [`${code(path)} ${shape.replace('?', ' or null')}`];
	if (Array.isArray(shape)) return fieldsOf((shape as readonly [Shape])[0], `${path}[]`);
	return Object.entries(shape).flatMap(([name, part]) => fieldsOf(part, path === '' ? name : `${path}.${name}`));
}

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
