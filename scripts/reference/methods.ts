/** Writes the types of the client's methods from the catalogue, with its words, so that an editor shows them. */
import {
	answerOf,
	additions,
	type Addition,
	type AdditionId,
	nameParts,
	operationIds,
	operationOf,
	optionOf,
	options,
	type Field,
	type ListId,
	type Operation,
	type OperationId,
	type Option,
	type OptionId,
	type Shape,
} from '../../packages/core/src/catalogue';
import { recordNames, type RecordKind } from '../../packages/core/src/wire/records';
import { answerWords } from './answer-words';
import { capital, doc, literals, pascal, valueType, wrapped } from './type-text';

/**
 * What people call the records of an answer. A list whose rows have no name here does not compile, because a name made from
 * its label would be public before anybody read it.
 */
const records: Readonly<Partial<Record<OperationId, string>> & Record<ListId, string>> = {
	'order.get': 'Order',
	'order.list': 'Order',
	'fill.list': 'Fill',
	'market.list': 'Market',
	'market.ticker': 'Ticker',
	'market.orderBook': 'OrderBook',
	'market.depth': 'Depth',
	'market.candles': 'Candle',
	'market.trades': 'Trade',
	'wallet.balances': 'BalanceOverview',
	'wallet.currencies': 'Currency',
	'wallet.chains': 'Chain',
	'wallet.banks': 'Bank',
	'wallet.depositAccount': 'DepositAccount',
	'wallet.verifyAccount': 'AccountHolder',
	'transaction.list': 'Transaction',
	'recipient.create': 'Recipient',
	'recipient.list': 'Recipient',
	'recipient.update': 'Recipient',
};
/** Records inside an answer. */
const parts: Readonly<Record<string, string>> = {
	'BalanceOverview.balances': 'Balance',
	'BalanceOverview.credit': 'Credit',
};
/** Fields whose shape is not shown and that hold a record read after the call, or nothing. */
const readAfterwards: Readonly<Record<string, string>> = { order: 'Order', transaction: 'Transaction' };
/** Records of which the interface shows no field, with the facts that are looked for in them. */
const expected: Readonly<Partial<Record<OperationId, RecordKind>>> = {
	'market.ticker': 'ticker',
	'wallet.chains': 'chain',
	'wallet.banks': 'bank',
	'wallet.depositAccount': 'depositAccount',
	'wallet.verifyAccount': 'confirmation',
};
/** A resource whose records are about those of another one. */
const kin: Readonly<Record<string, string>> = { fill: 'order' };

/** Fields of answers that no words were found for. */
const wordless = new Set<string>();

/** The file of types, which `npm run docs` writes and a test compares. */
export function methodTypes(): string {
	const declared = new Map<string, string>();
	const groups = new Map<string, string[]>();
	for (const id of operationIds) {
		const { resource, verb } = nameParts(id);
		const methods = groups.get(resource) ?? [];
		groups.set(resource, [...methods, methodOf(id, verb, declared)]);
	}
	const resources = [...groups].map(
		([resource, methods]) =>
			`${doc([`What a client offers under \`${resource}\`. Each throws what {@link Client.call} says.`])}export interface ${pascal(resource)}Methods {\n${methods.join('\n')}\n}\n`,
	);
	const all = [...groups.keys()].map(
		(resource) =>
			`${doc([`Operations of ${resource}, such as \`client.${resource}.${verbOf(resource)}\`.`], 1)}\t${resource}: ${pascal(resource)}Methods;`,
	);
	const text = [
		'// Written by `npm run docs` from the catalogue. Do not edit.',
		"import type { CallContext } from '../context';",
		"import type { List } from './list';\n",
		'/** A value the service is known to send, or one that it may send later. */',
		'export type Known<Value extends string> = Value | (string & Record<never, never>);\n',
		'/** Fields that the interface does not show. */',
		'interface Unshown {\n\t[field: string]: unknown;\n}\n',
		optionTypes(),
		addedType(declared),
		...declared.values(),
		...resources,
		'/** The methods of a client, by resource: `client.order.create({...})`. */',
		`export interface Methods {\n${all.join('\n')}\n}`,
		'',
	].join('\n');
	if (wordless.size > 0) throw new Error(`Enter words for ${[...wordless].join(', ')} in answer-words.ts.`);
	return text;
}

function methodOf(id: OperationId, verb: string, declared: Map<string, string>): string {
	const operation = operationOf(id);
	const { label, list, options: offered = [] } = operation;
	const name = label.replace(/\W/g, '');
	const record = records[id] ?? `${name}Answer`;
	const page = list?.at === undefined ? `${record}[]` : `{ ${list.at}: ${record}[]; count?: number }`;
	const options = offered.length > 0 ? `${name}Options` : 'Record<string, never>';
	declareInput(operation, name, declared);
	declareOptions(operation, name, declared);
	if (!declared.has(record)) declared.set(record, recordType(operation, record, declared));
	const isFree = !Object.values(operation.input).some(({ optional }) => !optional);
	const context = `CallContext<${options}>`;
	const answer = list ? `List<${record}, ${page}>` : `Promise<${record}>`;
	const words = [
		`${operation.help}.`,
		...(operation.outputNotShown ? [`${operation.outputNotShown}.`] : []),
		...(list ? ['Await it for one page as the service answers it, or iterate it for every item.'] : []),
	];
	return `${doc(words, 1, errorsOf(operation))}\t${verb}(input${isFree ? '?' : ''}: ${name}Input, context?: ${context}): ${answer};`;
}

/** What somebody handles on purpose beside the codes that every call may end as, which `Client.call` says. */
function errorsOf({ run }: Operation): string | undefined {
	if (run.via === 'intent')
		return '`outcome_unknown` where it may have been done; `rejected`, `unfilled` or `time_limit` as its options ask; `conflict`.';
	return run.via === 'rest' && run.retry === 'never' ? '`outcome_unknown` where the reply was lost.' : undefined;
}

/** Iterating a list gives every row, whatever a page holds. */
const PAGE_LIMIT = 'Most results of one page; iterating goes on to the next page';

/** One interface, or one for each value of the choice that other fields depend on. */
function declareInput({ input, label, list }: Operation, name: string, declared: Map<string, string>): void {
	const fields = Object.entries(input);
	const pivot = Object.keys(fields.find(([, field]) => field.onlyWhen)?.[1].onlyWhen ?? {})[0];
	const title = `The input of ${label}.`;
	if (pivot === undefined) {
		const rows = fields.map(([field, facts]) =>
			inputField(field, list && field === 'limit' ? { ...facts, help: PAGE_LIMIT } : facts),
		);
		declared.set(
			`${name}Input`,
			rows.length > 0
				? `${doc([title])}export interface ${name}Input {\n${rows.join('\n')}\n}\n`
				: `${doc([title, 'It takes none.'])}export type ${name}Input = Record<string, never>;\n`,
		);
		return;
	}
	const isShared = ([field, { onlyWhen }]: [string, Field]): boolean => field !== pivot && onlyWhen === undefined;
	const shared = fields.filter(isShared).map(([field, facts]) => inputField(field, facts));
	declared.set(
		`${name}Input of all`,
		`${doc([`${title.slice(0, -1)}, whatever its ${pivot} is.`])}interface ${name}EveryInput {\n${shared.join('\n')}\n}\n`,
	);
	const variants = input[pivot]!.values!.map((value) => {
		const variant = `${name}${pascal(value)}Input`;
		const rows = fields
			.filter((field) => !isShared(field))
			.map(([field, facts]) => {
				if (field === pivot) return `${doc([`${facts.help}.`], 1)}\t${field}: '${value}';`;
				const { [pivot]: wanted = value } = facts.onlyWhen ?? {};
				if (wanted === value) return inputField(field, facts);
				return `${doc([`Counts only where ${pivot} is \`${wanted}\`.`], 1)}\t${field}?: null | undefined;`;
			});
		declared.set(
			variant,
			`${doc([`${title.slice(0, -1)} with ${pivot} \`${value}\`.`])}export interface ${variant} extends ${name}EveryInput {\n${rows.join('\n')}\n}\n`,
		);
		return variant;
	});
	declared.set(`${name}Input`, `${doc([title])}export type ${name}Input = ${variants.join(' | ')};\n`);
}

function inputField(name: string, field: Field): string {
	const unit = {
		base: 'in the base currency',
		quotePerBase: 'quote currency for one unit of the base',
		quote: 'in the quote currency',
	};
	const facts = [
		...(field.kind === 'decimal' ? [`decimal text${field.unit ? `, ${unit[field.unit]}` : ''}`] : []),
		...(field.kind === 'timestamp' ? ['ISO 8601'] : []),
		...(field.min === undefined ? [] : [`at least ${field.min}`]),
		...(field.maxLength === undefined ? [] : [`at most ${field.maxLength} characters`]),
		...(field.example === undefined || field.example === '' ? [] : [`such as \`${field.example}\``]),
	];
	const words = [`${field.help}.`, ...(facts.length > 0 ? [`${capital(facts.join(', '))}.`] : [])];
	if (field.assumed) words.push(`Its name is assumed: ${field.assumed}.`);
	return `${doc(words, 1)}\t${name}${field.optional ? '?' : ''}: ${givenType(field)}${field.optional ? ' | null | undefined' : ''};`;
}

function declareOptions(operation: Operation, name: string, declared: Map<string, string>): void {
	const ids = operation.options ?? [];
	if (ids.length === 0) return;
	const plain = ids.filter((id) => id !== CHOSEN);
	const parents = [
		...(plain.length > 0 ? [`Pick<EveryOption, ${literals(plain)}>`] : []),
		...(ids.includes(CHOSEN)
			? [`ChosenFields<${literals(optionOf(operation, CHOSEN).values ?? []) || 'string'}>`]
			: []),
	];
	declared.set(
		`${name}Options`,
		`${doc([`The options of ${operation.label}.`])}export interface ${name}Options extends ${parents.join(', ')} {}\n`,
	);
}

/** The fields to choose from are those of the answer, so this option is another one for each operation. */
const CHOSEN = 'output_fields';

/** Each option once, of which an operation takes its own. */
function optionTypes(): string {
	const rowOf = (id: OptionId, type: string): string => {
		const option: Option = options[id];
		const { help, default: otherwise = '', beside = [] } = option;
		const fallback = otherwise === '' ? [] : [`Default: \`${String(otherwise)}\`.`];
		const needed = beside.map((other) => `\`${other}\``).join(' or ');
		const needs = needed === '' ? [] : [`Beside ${needed}, where the operation has one of them.`];
		return `${doc([`${help}.`, ...needs, ...fallback], 1)}\t${id}?: ${type} | undefined;`;
	};
	const rows = (Object.keys(options) as OptionId[])
		.filter((id) => id !== CHOSEN)
		.map((id) => rowOf(id, valueType(options[id])));
	return [
		`${doc(['What every operation that offers it takes.'])}interface EveryOption {\n${rows.join('\n')}\n}\n`,
		`${doc(['The choice of fields of an answer.'])}interface ChosenFields<Name extends string> {\n${rowOf(CHOSEN, 'readonly Known<Name>[]')}\n}\n`,
	].join('\n');
}

/** An input takes several of the values of a choice, or one. */
function givenType(field: Field): string {
	const several = valueType(field);
	return field.kind === 'choices' ? `${valueType({ ...field, kind: 'choice' })} | ${several}` : several;
}

type Fields = Readonly<Record<string, Shape>>;

/** Where in the answer of an operation a field is, and what was declared so far. */
interface Place {
	operation: Operation;
	path: string;
	declared: Map<string, string>;
}

/** What the service shows is required; what the client or a later read adds, and what is only expected, is optional. */
function recordType(operation: Operation, name: string, declared: Map<string, string>): string {
	const { output, follows = {}, adds = [], essentials = [], list, label, outputNotShown } = operation;
	const own = idOf(operation);
	const place = { operation, path: name, declared };
	const seen = isRecord(output) ? Object.keys(output) : [];
	const shown = seen.map((field): [string, Shape] => [field, (answerOf(operation) as Fields)[field]!]);
	const taken = new Set(shown.map(([field]) => field));
	const rows = shown.map(([field, shape]) => outputField(place, field, shape));
	const addOptional = (field: string, shape: Shape): void => {
		if (taken.has(field)) return;
		taken.add(field);
		rows.push(outputField(place, field, shape, '?'));
	};
	/** The fields that another type declares in the same words, which are taken from there. */
	const takenFrom = (source: (field: string) => Place, fields: readonly [string, Shape][]): string[] => {
		const same = fields.filter(
			([field, shape]) =>
				!taken.has(field) && outputField(source(field), field, shape, '?') === outputField(place, field, shape, '?'),
		);
		for (const [field] of same) taken.add(field);
		for (const [field, shape] of fields) addOptional(field, shape);
		return same.map(([field]) => field);
	};
	const follower = Object.entries(follows as Fields);
	const isPart = (fields: Shape): boolean =>
		isRecord(fields) && Object.keys(fields).every((field) => Object.hasOwn(follows as Fields, field));
	const read = operationIds.find((id) => records[id] !== undefined && isPart(operationOf(id).output));
	const followed = { operation: operationOf(read ?? own), path: records[read ?? own] ?? '', declared };
	const ofRecord = read ? takenFrom(() => followed, follower) : [];
	for (const [field, shape] of follower) addOptional(field, shape);
	const ofClient = takenFrom(
		(id) => placeOfAdded(id as AdditionId, declared),
		adds.map((id) => [id, additions[id].shape]),
	);
	const parents = [
		...(ofRecord.length > 0 ? [`Partial<Pick<${followed.path}, ${literals(ofRecord)}>>`] : []),
		...(ofClient.length > 0 ? [`Pick<Added, ${literals(ofClient)}>`] : []),
	];
	const looked = Object.keys(expected[own] ? recordNames[expected[own]] : {});
	for (const field of [...essentials, ...(list?.identifiedByFirstOf ?? []), ...looked]) addOptional(field, 'text');
	if (outputNotShown !== undefined || rows.length + parents.length === 0) parents.push('Unshown');
	const title = list ? `One item of ${label}.` : `The answer of ${label}.`;
	const about = outputNotShown ? [`${outputNotShown}; the named fields are what is expected.`] : [];
	const extended = parents.length > 0 ? ` extends ${parents.join(', ')}` : '';
	const body = rows.length > 0 ? `{\n${rows.join('\n')}\n}` : '{}';
	return `${doc([title, ...about])}export interface ${name}${extended} ${body}\n`;
}

/** Where a field that the client adds is declared: once, in the words of the first operation that has it. */
const placeOfAdded = (id: AdditionId, declared: Map<string, string>): Place => ({
	operation: operationIds.map((each): Operation => operationOf(each)).find(({ adds }) => adds?.includes(id))!,
	path: 'Added',
	declared,
});

function addedType(declared: Map<string, string>): string {
	const ids = new Set(operationIds.flatMap((id): readonly AdditionId[] => operationOf(id).adds ?? []));
	const rows = [...ids].map((id) => outputField(placeOfAdded(id, declared), id, additions[id].shape, '?'));
	return `${doc(['What the client adds to answers.'])}interface Added {\n${rows.join('\n')}\n}\n`;
}

function outputField(place: Place, name: string, shape: Shape, mark: '' | '?' = ''): string {
	const kind =
		typeof shape === 'string'
			? { decimal: 'Decimal text.', timestamp: 'ISO 8601 in UTC.' }[shape.replace('?', '')]
			: undefined;
	const words = [`${wordsOf(place, name)}.`, ...(kind ? [kind] : [])];
	return `${doc([words.join(' ')], 1)}\t${name}${mark}: ${shapeType({ ...place, path: `${place.path}.${name}` }, shape)};`;
}

function shapeType(place: Place, shape: Shape): string {
	const { operation, path, declared } = place;
	if (Array.isArray(shape)) return `${wrapped(shapeType(place, (shape as readonly [Shape])[0]))}[]`;
	if (typeof shape !== 'string') {
		const fields = Object.entries(shape as Readonly<Record<string, Shape>>);
		const added = additionAt(path);
		const rows = fields.map(([name, part]) =>
			outputField(place, name, part, added?.optional?.includes(name) ? '?' : ''),
		);
		const named = parts[path];
		if (named === undefined) return `{\n${rows.join('\n')}\n}`.replace(/\n/g, '\n\t');
		declared.set(
			named,
			`${doc([`One of the \`${path.split('.').at(-1)}\` of ${operation.label}.`])}export interface ${named} {\n${rows.join('\n')}\n}\n`,
		);
		return named;
	}
	const word = shape.replace('?', '');
	const [field] = path.split('.').slice(-1);
	const values = additionAt(path)?.values?.[field!];
	if (values) return values.map((value) => `'${value}'`).join(' | ');
	const known = word === 'text' ? knownValues(operation, path.split('.').at(-1)!) : undefined;
	const record = word === 'unspecified' ? readAfterwards[path.split('.').at(-1)!] : undefined;
	if (record) return `${record} | null`;
	const type =
		known ?? { integer: 'number', number: 'number', boolean: 'boolean', unspecified: 'unknown' }[word] ?? 'string';
	return shape.endsWith('?') && type !== 'unknown' ? `${type} | null` : type;
}

/** What the client adds at a path such as `Order.wait.ended`. */
function additionAt(path: string): Addition | undefined {
	const [, field = ''] = path.split('.');
	return Object.hasOwn(additions, field) ? additions[field as keyof typeof additions] : undefined;
}

/** The first of the operations of a resource. */
const verbOf = (resource: string): string =>
	operationIds.map(nameParts).find((name) => name.resource === resource)!.verb;

/** The values of a field are those of the input of the same name, among the operations of the resource. */
function knownValues(operation: Operation, name: string): string | undefined {
	const { values, groups = {} } = siblingField(operation, name) ?? {};
	const single = values?.filter((value) => !Object.hasOwn(groups, value));
	return single ? `Known<${single.map((value) => `'${value}'`).join(' | ')}>` : undefined;
}

/** The most special words: of its path or the end of it, of what the client adds, of its resource, of its name. */
function wordsOf({ operation, path }: Place, name: string): string {
	const steps = [...path.split('.'), name];
	const special = steps.slice(0, -1).map((_, at) => answerWords[steps.slice(at).join('.')]);
	const added = name in additions ? additions[name as AdditionId].help : undefined;
	const ofResource = answerWords[`${pascal(nameParts(idOf(operation)).resource)}.${name}`];
	const words = special.find((each) => each !== undefined) ?? added ?? ofResource ?? answerWords[name];
	if (words === undefined) wordless.add(steps.join('.'));
	return words ?? '';
}

function siblingField(operation: Operation, name: string): Field | undefined {
	const { resource } = nameParts(idOf(operation));
	const siblings = operationIds.filter((id) => [resource, kin[resource]].includes(nameParts(id).resource));
	return siblings.map((id) => operationOf(id).input[name]).find((field) => field !== undefined);
}

const isRecord = (shape: Shape): shape is Readonly<Record<string, Shape>> =>
	typeof shape === 'object' && !Array.isArray(shape);

const idOf = (operation: Operation): OperationId => operationIds.find((id) => operationOf(id) === operation)!;
