import {
	commandOf,
	controlOf,
	routeOf,
	additions,
	nameParts,
	operationIds,
	operationOf,
	optionOf,
	options,
	topics,
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

/** The reference of every operation: words, route, access, inputs, options and answer. */
export function operationsPage(): string {
	const resources = [...new Set(operationIds.map((id) => nameParts(id).resource))];
	const operations = operationIds.map(operationOf);
	const used = <T extends string>(all: object, of: (operation: Operation) => readonly T[] | undefined): T[] =>
		(Object.keys(all) as T[]).filter((id) => operations.some((operation) => of(operation)?.includes(id)));
	return page(
		generated,
		'# Operations',
		'Every operation of the service, under the names the hosts and the client use. Client: `client.<resource>.<verb>(input)`. ' +
			'Inputs and answers carry the names of the service. What it does not show is listed in [assumptions.md](assumptions.md). ' +
			'What [options](#options) and [added fields](#added-fields) mean is said once, at the end.',
		resources.map((resource) => `- ${titled(resource)}: ${idsOf(resource).map(link).join(', ')}`).join('\n'),
		...resources.flatMap((resource) => [`## ${titled(resource)}`, ...idsOf(resource).map(entry)]),
		'## Options',
		table(['Option', 'Kind', 'Default', 'Meaning'], used(options, (operation) => operation.options).map(optionRow)),
		'## Added fields',
		'What the client adds to an answer of the service.',
		table(['Field', 'Kind', 'Meaning'], used(additions, ({ adds }) => adds).map(additionRow)),
		'## Topics',
		'What the stream delivers. A topic per pair is completed by the pair with an underscore: `trades.USD_NGN`.',
		table(['Topic', 'What it carries', 'Access', 'Per pair'], Object.entries(topics).map(topicRow)),
	);
}

const topicRow = ([name, topic]: [string, (typeof topics)[keyof typeof topics]]): string[] => [
	code(name),
	topic.help,
	accessWords[topic.access],
	topic.perPair ? 'yes' : 'no',
];

const idsOf = (resource: string): OperationId[] => operationIds.filter((id) => nameParts(id).resource === resource);

const link = (id: OperationId): string => `[${code(id)}](#${anchor(operationOf(id))})`;

function entry(id: OperationId): string {
	const operation = operationOf(id);
	return page(
		`### ${operation.label}`,
		`${operation.help}.`,
		facts(id, operation).join('\n'),
		table(['Input', 'Kind', 'Required', 'Meaning'], Object.entries(operation.input).map(inputRow)),
		answer(operation),
		follows(operation),
	).trimEnd();
}

function facts(id: OperationId, operation: Operation): string[] {
	const named = (title: string, names: readonly string[] = []): string[] =>
		names.length > 0 ? [`- ${title}: ${names.join(', ')}`] : [];
	return [
		`- ${code(id)}, Node-RED node ${code(`partner-exchange-${operation.palette}`)}, ${wire(operation)}, ${accessWords[operation.access]}`,
		...(operation.sandboxOnly ? ['- Refused outside environment sandbox before anything is sent'] : []),
		...(operation.nonProduction && !operation.sandboxOnly ? ['- Refused in production before anything is sent'] : []),
		...(operation.list && operation.list.paging !== 'none'
			? [`- Read page by page through ${code(operation.list.paging)}`]
			: []),
		...named(
			'Options',
			operation.options?.map((option) => optionName(operation, option)),
		),
		...named('Added fields', operation.adds?.map(code)),
	];
}

function wire(operation: Operation): string {
	const { run } = operation;
	const [route, command] = [routeOf(operation) ?? controlOf(operation), commandOf(operation)];
	if (route) return code(route);
	if (command) return `command ${code(command)} on the stream`;
	if (run.via === 'composed') return `computed from ${run.of.map(code).join(', ')}`;
	return run.via === 'process' ? 'nothing is sent' : `${code('order.list')}, matched by ${code('client_order_id')}`;
}

const inputRow = ([name, field]: [string, Field]): string[] => [
	code(name),
	kind(field),
	required(field),
	meaning(field),
];

const required = ({ optional, onlyWhen }: Field): string => {
	const condition = Object.entries(onlyWhen ?? {}).map(([sibling, value]) => `${code(sibling)} is ${code(value)}`);
	if (condition.length > 0) return `${optional ? 'no, only when' : 'when'} ${condition.join(' and ')}`;
	return optional ? 'no' : 'yes';
};

const kind = ({ kind: name, values }: Field): string => (values ? values.map(code).join(', ') : name);

const meaning = ({ help, example, assumed }: Field): string =>
	`${help}${example ? `; such as ${code(example)}` : ''}${assumed ? ' (name assumed)' : ''}`;

/** The name of an option, with what forms set where a person sets nothing. */
function optionName(operation: Operation, id: OptionId): string {
	const { preset } = optionOf(operation, id);
	return preset === undefined ? code(id) : `${code(id)} (in forms ${code(String(preset))})`;
}

function optionRow(id: OptionId): string[] {
	const option: Option = options[id];
	return [code(id), kind(option), option.default === undefined ? '' : code(String(option.default)), option.help];
}

function answer({ output, outputNotShown, list }: Operation): string {
	const fields = fieldsOf(output);
	const note = outputNotShown ? ` ${outputNotShown}.` : '';
	if (fields.length === 0) return `Answer: passed on as the service sends it.${note}`;
	const of = list ? `Each item of ${code(list.at)}` : 'Answer';
	return `${of}: ${fields.join(', ')}.${note}`;
}

/** A command is only acknowledged, so the client reads the order afterwards. */
function follows(operation: Operation): string {
	const record = operation.follows;
	if (!record) return '';
	const when = commandOf(operation) ? 'The order is read afterwards' : 'With Wait Until the order is read as well';
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
const anchor = ({ label }: Operation): string => label.toLowerCase().replaceAll(' ', '-');
