/**
 * Derives the palette from the catalogue: one node per `palette` name, with its operations and the properties of its
 * form. Pure.
 */
import {
	isWrite,
	isOrderWrite,
	nameParts,
	operationIds,
	operationOf,
	optionOf,
	type Field,
	type Operation,
	type OperationId,
	type Option,
} from '@partner-exchange/core/catalogue';
import { PREFIX } from './types';

export interface PaletteNode {
	/** `partner-exchange-create-order`. */
	type: string;
	/** `create-order`: the name of the example, the locale section and the help page. */
	name: string;
	offers: Offer[];
	rows: Row[];
	/** 2 for order writes, whose second output is for an unknown outcome. */
	outputs: 1 | 2;
	hasList: boolean;
}

/** One operation of a node; its verb is the value of the property `operation`. */
export interface Offer {
	id: OperationId;
	verb: string;
	operation: Operation;
}

/** One property of the form: an input, or an option of how the operation runs. */
export interface Row {
	name: string;
	property: string;
	part: 'input' | 'option';
	field: Option;
	verbs: string[];
	/** The operations in which it is optional. */
	optionalIn: string[];
}

/** Whether no operation that has the field requires it. */
export const isOptional = ({ verbs, optionalIn }: Pick<Row, 'verbs' | 'optionalIn'>): boolean =>
	optionalIn.length === verbs.length;

/** Property names the editor reserves on every node. */
const reserved = new Set([
	'id',
	'type',
	'wires',
	'inputs',
	'outputs',
	'status',
	'name',
	'operation',
	'info',
	'changed',
	'valid',
	'users',
	'x',
	'y',
	'z',
	'w',
	'h',
	'd',
	'g',
	'l',
]);

/** The node property of a field: its wire name, with `_value` appended if the editor reserves that name. */
export const propertyOf = (name: string): string => (reserved.has(name) ? `${name}_value` : name);

export const palette: readonly PaletteNode[] = [...new Set(operationIds.map((id) => operationOf(id).palette))].map(
	nodeOf,
);

function nodeOf(name: string): PaletteNode {
	const offers = operationIds
		.filter((id) => operationOf(id).palette === name)
		.map((id) => ({ id, verb: nameParts(id).verb, operation: operationOf(id) }));
	return {
		type: PREFIX + name,
		name,
		offers,
		rows: [...rowsOf(offers, 'input'), ...rowsOf(offers, 'option')],
		outputs: offers.some(({ operation }) => isOrderWrite(operation)) ? 2 : 1,
		hasList: offers.some(({ operation }) => operation.list !== undefined),
	};
}

/** The verbs that write where money may be real, which the form must allow for production. */
export const verbsInProduction = ({ offers }: PaletteNode): string[] =>
	offers.filter(({ operation }) => isWrite(operation) && !operation.nonProduction).map(({ verb }) => verb);

/** A field that several operations share is one property of the node. Each operation has its fields in its own order. */
function rowsOf(offers: readonly Offer[], part: Row['part']): Row[] {
	const rows: Row[] = [];
	for (const { verb, operation } of offers) {
		let next = 0;
		for (const [name, field] of fieldsOf(operation, part)) {
			const optionalIn = field.optional ? [verb] : [];
			const at = rows.findIndex((row) => row.name === name);
			const row = rows[at];
			if (row)
				Object.assign(row, {
					verbs: [...row.verbs, verb],
					optionalIn: [...row.optionalIn, ...optionalIn],
					field: withValues(row.field, field.values),
				});
			else rows.splice(next, 0, { name, property: propertyOf(name), part, field, verbs: [verb], optionalIn });
			next = (row ? at : next) + 1;
		}
	}
	return rows;
}

/**
 * The values of this option differ between operations, so the form offers all; the client refuses those that do not
 * apply.
 */
function withValues(field: Option, more: readonly string[] = []): Option {
	return field.kind === 'choices' ? { ...field, values: [...new Set([...(field.values ?? []), ...more])] } : field;
}

/** The limit of a list counts results in total and has a field of its own in the form. */
function fieldsOf(operation: Operation, part: Row['part']): [string, Field | Option][] {
	if (part === 'option') return (operation.options ?? []).map((id) => [id, optionOf(operation, id)]);
	return Object.entries(operation.input).filter(([name]) => !(operation.list && name === 'limit'));
}
