import { routeOf, type Field, type Operation, type Shape } from '@partner-exchange/core/catalogue';

/** JSON Schema 2020-12 of what the catalogue describes in words of its own. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Amounts travel as text, digit by digit. */
const DECIMAL = '^-?\\d+(\\.\\d+)?$';

const scalars: Readonly<Record<string, JsonSchema>> = {
	text: { type: 'string' },
	decimal: { type: 'string', pattern: DECIMAL },
	integer: { type: 'integer' },
	number: { type: 'number' },
	boolean: { type: 'boolean' },
	timestamp: { type: 'string', format: 'date-time' },
};

/** The schema of a shape. All that is shown is there; a record may have more fields, now and later. */
export function schemaOfShape(shape: Shape): JsonSchema {
	if (typeof shape === 'string') return schemaOfScalar(shape);
	if (Array.isArray(shape)) return { type: 'array', items: schemaOfShape((shape as readonly [Shape])[0]) };
	const fields = Object.entries(shape as Readonly<Record<string, Shape>>);
	return {
		type: 'object',
		properties: Object.fromEntries(fields.map(([name, part]) => [name, schemaOfShape(part)])),
		required: fields.map(([name]) => name),
	};
}

function schemaOfScalar(word: string): JsonSchema {
	const schema = scalars[word.replace('?', '')] ?? {};
	return word.endsWith('?') && 'type' in schema ? { ...schema, type: [schema['type'], 'null'] } : schema;
}

const kinds: Readonly<Partial<Record<Field['kind'], JsonSchema>>> = {
	decimal: scalars['decimal']!,
	integer: scalars['integer']!,
	boolean: scalars['boolean']!,
	timestamp: scalars['timestamp']!,
	json: { type: 'object' },
};

/** The schema of one input. A choice that may hold others lists the known values as examples. */
export function schemaOfField({ kind, values, mayHoldOthers, min, max, maxLength, help, assumed }: Field): JsonSchema {
	return {
		...(kinds[kind] ?? { type: 'string' }),
		description: `${help}.`,
		...(values && { [mayHoldOthers ? 'examples' : 'enum']: values }),
		...(min !== undefined && { minimum: min }),
		...(max !== undefined && { maximum: max }),
		...(maxLength !== undefined && { maxLength }),
		...assumedAs(assumed),
	};
}

/** The mark of what the interface does not show, and why it is taken to be so. */
export const assumedAs = (reason: string | undefined): JsonSchema =>
	reason === undefined ? {} : { 'x-assumed': reason };

/** Fields that are sent as they are named; free fields stand for names nobody knows. */
export const namedFields = ({ input }: Pick<Operation, 'input'>): [string, Field][] =>
	Object.entries(input).filter(([, { kind }]) => kind !== 'json');

export const takesFreeFields = ({ input }: Pick<Operation, 'input'>): boolean =>
	Object.values(input).some(({ kind }) => kind === 'json');

export const isRequired = ({ optional, onlyWhen }: Field): boolean => !optional && !onlyWhen;

/** Method and path of an operation sent over REST. */
export function routePartsOf(operation: Operation): [method: string, path: string] | undefined {
	return routeOf(operation)?.split(' ') as [string, string] | undefined;
}
