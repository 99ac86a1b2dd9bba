import {
	isOrderWrite,
	isToChoose,
	isWrite,
	operationOf,
	optionOf,
	type Field,
	type Fields,
	type Operation,
	type OperationId,
	type Option,
} from '@partner-exchange/core/catalogue';
import { isEmpty, plainWord } from '@partner-exchange/core/adapters';
import type { DisplayCondition, INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { byName, capital, formOperations, PRODUCTION, SIDE_BY_SIDE, type FormOperation } from './names';
import { added, collection, property, refusedAs, stray, unitWords, withStrays } from './property';

/** Inputs for which n8n lists have a standard field of their own. */
export const OWN_PAGING = 'limit';

/** The name of an order. */
const BESIDE = 'client_order_id';

/** The form of the action node: resource, operation, and the inputs of each operation. */
export function actionForm(): INodeProperties[] {
	const forms = formOperations.map((shown) => ({ operation: operationOf(shown.id), fields: formOf(shown) }));
	const matter = forms.filter(({ operation }) => isWrite(operation) && !operation.nonProduction);
	const form = [resourceChoice(), ...operationChoices(), ...forms.flatMap(({ fields }) => fields)];
	return withStrays(
		form,
		matter.flatMap(({ fields }) => fields),
	);
}

function resourceChoice(): INodeProperties {
	const resources = [...new Set(formOperations.map(({ resource }) => resource))].sort();
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map((value) => ({ name: capital(value), value })),
		default: 'order',
	};
}

function operationChoices(): INodeProperties[] {
	const resources = [...new Set(formOperations.map(({ resource }) => resource))];
	return resources.map((resource) => {
		const choices = formOperations.filter((shown) => shown.resource === resource).map(operationChoice);
		const first = choices[0]!.value;
		return {
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: [...choices].sort(byName),
			default: first,
		};
	});
}

function operationChoice({ id, resource, operation }: FormOperation): INodePropertyOptions {
	const { label, action, help } = operationOf(id);
	return { name: withoutNoun(label, resource), value: operation, description: help, action };
}

/**
 * Drops the resource from the name: "Create Order" of the resource Order becomes "Create", and "Get Many Orders" becomes
 * "Get Many". Other plurals are what is done to several, and "Cancel Open" would say nothing of that.
 */
const withoutNoun = (label: string, resource: string): string =>
	label.replace(new RegExp(` ${resource}$|(?<=Many) ${resource}s$|^${resource} `, 'i'), '');

/** A lookup is often wired to the error output of a failed write, so its fields default to the details found there. */
const fromFailedItem = (id: OperationId, name: string): Partial<INodeProperties> =>
	operationOf(id).run.via === 'lookup' && !operationOf(id).input[name]!.optional ? { default: inFailedItem(name) } : {};

const inFailedItem = (name: string): string => `={{ $json.details?.${name} ?? $json.${name} }}`;

/**
 * The name of an order that a workflow has beside the quantity, as requests of the service do, would be lost. The form of
 * a lookup has it there, so what that begins with may stay behind where another operation is chosen.
 */
const nameBeside = (operation: Operation): INodeProperties[] => [
	...(operation.input[BESIDE]?.aside ? [refusedAs(BESIDE)] : []),
	...(isWrite(operation) ? [refusedAs('filters')] : []),
];

/** Without a field it is done to all there are, so filters in place of its fields would be lost: orders of every pair be cancelled. */
const takesAll = (operation: Operation): boolean =>
	isWrite(operation) && Object.values(operation.input).every(({ optional }) => optional);

export function refuseNameBeside(operation: Operation, { [BESIDE]: name, filters = {} }: INodeParameters): void {
	if (operation.input[BESIDE]?.aside && !isEmpty(name) && name !== inFailedItem(BESIDE))
		throw stray(BESIDE, `options.${BESIDE}`);
	const filtered = Object.keys(Object(filters) as object);
	if (takesAll(operation) && filtered.length > 0) throw stray('filters', Object.keys(operation.input).join(', '));
	// Filters of a list may stay behind where another operation is chosen, and no option is a filter.
	const option = operation.options?.find((id) => filtered.some((name) => plainWord(name) === plainWord(id)));
	if (isWrite(operation) && option) throw stray('filters', `options.${option}`);
}

/** Fields that few people need are in one collection until a user adds them, and so are the filters of a list. */
function formOf(shown: FormOperation): INodeProperties[] {
	const operation: Operation = operationOf(shown.id);
	const { input, list } = operation;
	const named: [string, Field][] = Object.entries(input);
	const open = named.filter(([, field]) => isOpen(field, operation));
	const tucked = named
		.filter(([name, field]) => !isOpen(field, operation) && !(list && name === OWN_PAGING))
		.map(([name, field]) => ({ ...property(name, field), ...hidden(hiddenBy(field, input), '/') }));
	const options = [...optionsForm(operation), ...(list ? [] : tucked), ...ownOptions(operation)];
	const paging = list ? [returnAll, limit] : [];
	const all = [
		...open.map(([name, field]) => property(name, field)),
		...[...tucked, ...options, ...paging, ...rehearsal(operation)],
	];
	return [
		...toolForm(operation, open),
		...(operation.options?.includes('business_key') ? [identityNotice] : []),
		...nameBeside(operation),
		...open.flatMap(([name, field]) =>
			variantsOf(field, input).map((variant) => ({
				...property(name, field),
				...fromFailedItem(shown.id, name),
				...variant,
			})),
		),
		...paging,
		...(list ? collection('filters', tucked, all) : []),
		...collection('options', options, all),
	].map((each) => shownAt(shown, each));
}

/** Whether a field is outside the collections. */
export const isOpen = ({ optional, aside }: Field, { list }: Operation): boolean => !optional || (!list && !aside);

/**
 * A field that a choice calls for is required beside that choice. n8n refuses to start while a required field is empty,
 * so where the choice is an expression, which may call for it or not, the field is another one that is not required; the
 * client checks it then.
 */
function variantsOf(field: Field, siblings: Fields): Partial<INodeProperties>[] {
	if (field.optional) return [hidden(hiddenBy(field, siblings))];
	const { onlyWhen, onlyValue } = field;
	if (onlyWhen) return [{ required: true, ...whileFixed(onlyWhen, siblings) }, whileExpression(onlyWhen, siblings)];
	if (!onlyValue) return [{ required: true }];
	return [
		{ required: true, default: onlyValue.value, ...whileFixed(onlyValue.when, siblings) },
		{ required: true, ...hidden(conditions(onlyValue.when, (choice) => [choice])) },
	];
}

type Choices = NonNullable<Field['onlyWhen']>;
type Conditions = Record<string, (string | DisplayCondition)[]>;

/** Where the choice is made in the form, and not by an expression. */
const whileFixed = (onlyWhen: Choices, siblings: Fields): Partial<INodeProperties> =>
	hidden(conditions(hiddenBy({ onlyWhen }, siblings), (others) => [...others, EXPRESSION]));

const whileExpression = (onlyWhen: Choices, siblings: Fields): Partial<INodeProperties> =>
	hidden(conditions(hiddenBy({ onlyWhen }, siblings), (others, name) => [...others, onlyWhen[name]!]));

const conditions = <Value>(
	by: Readonly<Record<string, Value>>,
	of: (value: Value, name: string) => Conditions[string],
): Conditions => Object.fromEntries(Object.entries(by).map(([name, value]) => [name, of(value, name)]));

const EXPRESSION: DisplayCondition = { _cnd: { startsWith: '=' } };

/** The options in the order of their use, as the catalogue has them. */
function optionsForm(operation: Operation): INodeProperties[] {
	const named = (operation.options ?? []).map((option) => [option, optionOf(operation, option)] as const);
	const siblings = Object.fromEntries(named);
	return named.map(([name, option]) => optionProperty(name, option, siblings));
}

/** The options of the node itself, which the client does not have. */
const ownOptions = (operation: Operation): INodeProperties[] => [
	...(isOrderWrite(operation) ? [sideBySide] : []),
	...(isWrite(operation) && !operation.nonProduction ? [productionSwitch] : []),
];

function optionProperty(name: string, option: Option, siblings: Readonly<Record<string, Option>>): INodeProperties {
	return {
		...added(name, withPreset(option)),
		...hidden(hiddenBy(option, siblings)),
		...shownBeside(option, siblings),
	};
}

/** What is done without the option cannot be seen in the form, so its description says it. */
const withPreset = (option: Option): Option =>
	option.preset === undefined ? option : { ...option, help: `${option.help}; ${String(option.preset)} if not added` };

function shownBeside(option: Option, siblings: Readonly<Record<string, Option>>): Partial<INodeProperties> {
	const beside = option.beside?.find((other) => siblings[other]);
	if (!beside) return {};
	const { kind, values = [], default: otherwise } = siblings[beside]!;
	const effective = kind === 'boolean' ? [true] : values.filter((value) => value !== otherwise);
	return { displayOptions: { show: { [beside]: effective } } };
}

/**
 * A field is hidden only while the field it depends on holds another fixed value, or none yet: the value of an
 * expression, or of a language model, is unknown until the run.
 */
const hiddenBy = ({ onlyWhen }: Pick<Field, 'onlyWhen'>, siblings: Fields): Record<string, string[]> =>
	Object.fromEntries(
		Object.entries(onlyWhen ?? {}).flatMap(([name, value]) => {
			const sibling = siblings[name];
			if (!sibling) return [];
			const others = (sibling.values ?? []).filter((other) => other !== value);
			return [[name, isToChoose(sibling) ? ['', ...others] : others]];
		}),
	);

const shownAt = ({ resource, operation }: FormOperation, each: INodeProperties): INodeProperties => ({
	...each,
	displayOptions: {
		...each.displayOptions,
		show: { resource: [resource], operation: [operation], ...each.displayOptions?.show },
	},
});

/** A rehearsal that an operation does not have is refused, because it would be carried out. */
const rehearsal = (operation: Operation): INodeProperties[] =>
	isWrite(operation) ? [added('dry_run', optionOf(operation, 'dry_run'))] : [];

/** Within a collection, n8n addresses fields of the form from the root (`/name`) and fields beside it by name. */
function hidden(by: Conditions, root = ''): Partial<INodeProperties> {
	const hide = Object.entries(by).map(([name, values]) => [`${root}${name}`, values] as const);
	return hide.length > 0 ? { displayOptions: { hide: Object.fromEntries(hide) } } : {};
}

/** How this node goes through its items, which is no matter of a single call. */
const sideBySide: INodeProperties = {
	displayName: 'Send Side by Side',
	name: SIDE_BY_SIDE,
	type: 'boolean',
	noDataExpression: true,
	description:
		'Whether up to five items of a run are sent at a time, in any order; otherwise one after another, because a sale may have to pay for the purchase behind it',
	default: true,
};
const returnAll: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	description: 'Whether to return all results or only up to a given limit',
	default: false,
};
const limit: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	description: 'Max number of results to return',
	typeOptions: { minValue: 1 },
	default: 50,
	displayOptions: { show: { returnAll: [false] } },
};
/** What a user has to know about retries of an order write. */
const identityNotice: INodeProperties = {
	displayName:
		'A retry of the same execution never places a second order. To cover crashes and separate executions too, or to place equal orders from one sub-workflow, add a Business Key under Options, such as an invoice number.',
	name: 'identityNotice',
	type: 'notice',
	default: '',
};
/**
 * Reads in production need no permission; a write there must be allowed in each node. n8n hides a field by other fields
 * of the form alone, and the credential is not one of them. So this field is added where it is needed, and a form for
 * the sandbox is without it.
 */
const productionSwitch: INodeProperties = {
	displayName: 'Allow Production',
	name: PRODUCTION,
	type: 'boolean',
	noDataExpression: true,
	description: 'Whether this node may act with a production credential, where money is real; the canvas then shows it',
	default: true,
};

/** Shown only where the node hangs at an agent. */
const atAgent = { show: { '@tool': [true] } };

/**
 * What the form of an operation has more where an agent calls it. n8n shows an expression as its code, so the words
 * that depend on the form are computed out of sight, and the description that a person reads names them only.
 */
const toolForm = (operation: Operation, fields: readonly [string, Field][]): INodeProperties[] => [
	{
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 3 },
		default: `=${operation.help}. {{ $parameter.form_in_words }}`,
		description:
			'What the model reads about this tool. The words in green stand for what is fixed here, and for what each value means that the model gives.',
		displayOptions: atAgent,
	},
	{
		displayName: 'Form in Words',
		name: 'form_in_words',
		type: 'hidden',
		default: formInWords(fields),
		displayOptions: atAgent,
	},
	...(operation.options?.includes('business_key') ? [notice] : []),
];

/** n8n tells a model only the names of the values it may give, so the description of the tool explains each. */
function formInWords(fields: readonly [string, Field][]): string {
	const words = fields.map(([name, field]) => [name, field.label, explained(field)]);
	const value = '$rawParameter[name]';
	const isSet = `String(${value}).startsWith("=") ? " is set by the workflow" : " is always " + ${value}`;
	const said = `${value} === undefined || ${value} === "" ? "" : label + (String(${value}).includes("$fromAI") ? ": " + words : ${isSet})`;
	return `={{ ${JSON.stringify(words)}.map(([name, label, words]) => ${said}).filter(Boolean).join(". ") }}`;
}

function explained({ help, unit, example, values }: Field): string {
	const facts = [unit && unitWords(unit), values && values.join(' or '), example && `such as ${example}`];
	return [help, ...facts].filter(Boolean).join(', ');
}

const notice: INodeProperties = {
	displayName:
		'The model gives only what you let it: choose Side and Order Type yourself, press the button beside Quantity and Price, and add Maximum Quantity, Allowed Pairs and a Business Key under Options. Whatever else a model sends is not read.',
	name: 'toolNotice',
	type: 'notice',
	default: '',
	displayOptions: atAgent,
};
