import type { Shape } from '@partner-exchange/core';
import { answerOf, operationOf } from '@partner-exchange/core';
import { places } from '../nodes/shared/names';

/** A JSON schema as n8n's editor reads it to preview the fields of an output. */
interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

/** The answer of every operation whose shape is known, by the path n8n looks for it at. */
export const schemas = (): [path: string, schema: Schema & { version: number }][] =>
	places
		.filter(({ id }) => typeof answerOf(operationOf(id)) === 'object')
		.map(({ id, resource, operation }) => [
			`${resource}/${operation}.json`,
			{ ...schemaOf(answerOf(operationOf(id))), version: 1 },
		]);

function schemaOf(shape: Shape): Schema {
	if (typeof shape === 'string') return { type: scalars[shape.replace('?', '')] ?? 'object' };
	if (Array.isArray(shape)) return { type: 'array', items: schemaOf((shape as readonly [Shape])[0]) };
	const parts = Object.entries(shape as Readonly<Record<string, Shape>>);
	return { type: 'object', properties: Object.fromEntries(parts.map(([name, part]) => [name, schemaOf(part)])) };
}

/** Amounts are text. What is not shown may be anything, and an object previews as a name without fields. */
const scalars: Readonly<Record<string, string>> = {
	text: 'string',
	decimal: 'string',
	timestamp: 'string',
	integer: 'integer',
	number: 'number',
	boolean: 'boolean',
};
