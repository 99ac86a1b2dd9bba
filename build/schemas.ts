import {
	additions,
	isOrderWrite,
	operationOf,
	usual,
	usualFill,
	type AdditionId,
	type Operation,
	type OperationId,
	type Shape,
} from '@partner-exchange/core/catalogue';
import { formOperations } from '../nodes/shared/form/names';

/** A JSON schema as n8n's editor reads it to preview the fields of an output. */
interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

/** One file of a node's schemas, at the path n8n looks for it. */
export interface Preview {
	node: string;
	path: string;
	schema: Schema & { version: number };
}

/** What comes out of each operation and trigger without any option, as far as it is known. */
export const previews = (): Preview[] => [
	...formOperations.map(({ id, resource, operation }) =>
		preview('PartnerExchange', `${resource}/${operation}.json`, itemOf(id)),
	),
	preview('PartnerExchangeTrigger', '.json', event),
	preview('PartnerExchangeAlertTrigger', '.json', transaction),
];

const preview = (node: string, path: string, shape: Shape): Preview => ({
	node,
	path,
	schema: { ...schemaOf(shape), version: 1 },
});

/** One item of the answer: a part of it where it is made of parts, and the fields that are always beside it. */
function itemOf(id: OperationId): Shape {
	const operation: Operation = operationOf(id);
	const { output, parts, adds = [] } = operation;
	const known = usual[id] ?? (typeof output === 'object' ? output : {});
	const always = adds.filter((id) => alwaysAdded.includes(id)).map((id) => [id, additions[id].shape]);
	const split = parts === undefined ? known : splitAt(known as Record<string, Shape>, parts);
	return { ...headOf(split), ...asked(operation), ...(split as object), ...Object.fromEntries(always) } as Shape;
}

/** An order's answer begins with what a person looks for first. */
const headOf = (record: Shape): object =>
	Object.fromEntries(Object.entries(record).filter(([name]) => ['new_order_id', 'order_id', 'status'].includes(name)));

const alwaysAdded: readonly AdditionId[] = ['client_order_id', 'idempotency_key'];

function splitAt(record: Readonly<Record<string, Shape>>, at: string): Shape {
	const { [at]: parts, ...around } = record;
	return { ...(parts as readonly [object])[0], ...around };
}

/** An order write answers with what was asked for too. */
function asked(operation: Operation): Record<string, Shape> {
	if (!isOrderWrite(operation)) return {};
	const fields = Object.entries(operation.input).filter(([name, { optional }]) => !optional && name !== 'order_id');
	return Object.fromEntries(fields.map(([name]) => [name, 'text']));
}

/** The fields every topic shares; what is in `data` depends on the topic, and the first one is chosen by default. */
const event: Shape = {
	topic: 'text',
	seq: 'integer?',
	epoch: 'text?',
	ts: 'timestamp?',
	data: usualFill,
	delivery: 'text',
	eventKey: 'text',
};

const transaction: Shape = {
	...(usual['transaction.list'] as object),
	eventKey: 'text',
	change: 'text',
	previous_status: 'text?',
};

function schemaOf(shape: Shape): Schema {
	if (typeof shape === 'string') return { type: scalars[shape.replace('?', '')] ?? 'object' };
	if (Array.isArray(shape)) return { type: 'array', items: schemaOf((shape as readonly [Shape])[0]) };
	const named = Object.entries(shape as Readonly<Record<string, Shape>>);
	return { type: 'object', properties: Object.fromEntries(named.map(([name, part]) => [name, schemaOf(part)])) };
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
