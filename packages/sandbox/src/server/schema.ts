import { invalid } from '../engine/refusal';
import type { Fields } from '../engine/order-request';

/** The part of JSON Schema that the control API uses, to describe and to validate requests. */
export type Schema = { description?: string } & (
	| { type: 'string'; enum?: readonly string[]; maxLength?: number; pattern?: string }
	| { type: 'integer'; minimum?: number; maximum?: number }
	| { type: 'number'; minimum?: number; maximum?: number }
	| { type: 'boolean' }
	| { type: 'array'; items: Schema; maxItems?: number }
	| ObjectSchema
);

export interface ObjectSchema {
	type: 'object';
	description?: string;
	properties: Readonly<Record<string, Schema>>;
	required?: readonly string[];
}

const TEXT_CHARACTERS_MAX = 512;
const SHOWN_CHARACTERS_MAX = 40;

/** Refuses an invalid body; the error names the field, its value and what is allowed. */
export function acceptFields(fields: Fields, { properties, required = [] }: ObjectSchema): Fields {
	for (const name of Object.keys(fields)) {
		if (!Object.hasOwn(properties, name)) throw unknownField(name, Object.keys(properties));
	}
	for (const name of required) {
		if (fields[name] === undefined) throw invalid(`${name}_required`, `${name} is required.`);
	}
	for (const [name, value] of Object.entries(fields)) {
		if (value === undefined) continue;
		const wanted = objectionTo(value, properties[name] as Schema);
		if (wanted !== undefined) throw invalid(`invalid_${name}`, `${name} must be ${wanted}, not ${quoted(value)}.`);
	}
	return fields;
}

function unknownField(name: string, columns: string[]): Error {
	const list = columns.length === 0 ? 'It takes none' : `Known are ${columns.join(', ')}`;
	return invalid('unknown_field', `There is no field ${quoted(name)}. ${list}.`);
}

/** Describes what a value should have been; undefined if it is valid. */
function objectionTo(value: unknown, schema: Schema): string | undefined {
	switch (schema.type) {
		case 'string':
			return objectionToText(value, schema);
		case 'integer':
		case 'number':
			return objectionToNumber(value, schema);
		case 'boolean':
			return typeof value === 'boolean' ? undefined : 'true or false';
		case 'array': {
			const { items, maxItems = TEXT_CHARACTERS_MAX } = schema;
			if (!Array.isArray(value) || value.length > maxItems) return `a list of at most ${maxItems}`;
			const wanted = value.map((item) => objectionTo(item, items)).find((each) => each !== undefined);
			return wanted && `a list, each ${wanted}`;
		}
		case 'object':
			return value !== null && typeof value === 'object' && !Array.isArray(value) ? undefined : 'an object';
	}
}

function objectionToText(value: unknown, schema: Schema & { type: 'string' }): string | undefined {
	const { enum: values, maxLength = TEXT_CHARACTERS_MAX, pattern, description = 'a text' } = schema;
	if (values) return values.includes(value as string) ? undefined : oneOf(values, value);
	if (typeof value !== 'string' || value.trim() === '') return 'a text that is not empty';
	if (value.length > maxLength) return `a text of at most ${maxLength} characters`;
	return pattern !== undefined && !new RegExp(pattern).test(value) ? description : undefined;
}

function objectionToNumber(value: unknown, schema: Schema & { type: 'integer' | 'number' }): string | undefined {
	const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, type } = schema;
	const isNumber = type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
	if (isNumber && (value as number) >= minimum && (value as number) <= maximum) return undefined;
	return `a ${type === 'integer' ? 'whole number' : 'number'} from ${minimum} to ${maximum}`;
}

/** Lists all values if they are few, otherwise the nearest one. */
function oneOf(values: readonly string[], value: unknown): string {
	const list = `one of ${values.join(', ')}`;
	if (typeof value !== 'string') return list;
	const likeness = (each: string) => [...value].filter((letter) => each.includes(letter)).length / each.length;
	const nearest = values.reduce((best, each) => (likeness(each) > likeness(best) ? each : best));
	return values.length <= 8 ? list : `${list}; the nearest is ${nearest}`;
}

function quoted(value: unknown): string {
	const text = JSON.stringify(value) ?? 'nothing';
	return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}
