import type { Field, Operation } from '@partner-exchange/core/catalogue';
import type { INodeProperties } from 'n8n-workflow';
import { unitWords } from './property';

/** Shown only where the node hangs at an agent. */
const atAgent = { show: { '@tool': [true] } };

/** What the form of an operation has more where an agent calls it. */
export const toolForm = (operation: Operation, fields: readonly [string, Field][]): INodeProperties[] => [
	{
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 3 },
		default: describedBy(operation, fields),
		description: 'What the model reads about this tool: what is fixed here, and what each value it gives means',
		displayOptions: atAgent,
	},
	...(operation.options?.includes('business_key') ? [notice] : []),
];

/** n8n tells a model only the names of the values it may give, so the description of the tool explains each. */
function describedBy({ help }: Operation, fields: readonly [string, Field][]): string {
	const words = fields.map(([name, field]) => [name, field.label, explained(field)]);
	const value = '$rawParameter[name]';
	const said = `${value} === undefined || ${value} === "" ? "" : String(${value}).startsWith("=") ? ". " + label + ": " + words : ". " + label + " is always " + ${value}`;
	return `={{ ${JSON.stringify(help)} + ${JSON.stringify(words)}.map(([name, label, words]) => ${said}).join("") }}`;
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
