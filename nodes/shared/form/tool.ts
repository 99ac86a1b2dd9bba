import type { Field, Operation } from '@partner-exchange/core/catalogue';
import type { INodeProperties } from 'n8n-workflow';
import { unitWords } from './property';

/** Shown only where the node hangs at an agent. */
const atAgent = { show: { '@tool': [true] } };

/**
 * What the form of an operation has more where an agent calls it. n8n shows an expression as its code, so the words
 * that depend on the form are computed out of sight, and the description that a person reads names them only.
 */
export const toolForm = (operation: Operation, fields: readonly [string, Field][]): INodeProperties[] => [
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
