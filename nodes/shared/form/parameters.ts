import { ExchangeError } from '@partner-exchange/core';
import { applies, isEmpty, readCount, readSwitch, recordId, readTime } from '@partner-exchange/core/adapters';
import {
	operationOf,
	optionsOfForm,
	options as catalogueOptions,
	type Operation,
	type OperationId,
	type OptionId,
	type Options,
} from '@partner-exchange/core/catalogue';
import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import { isOpen, OWN_PAGING, refuseNameBeside } from './form';
import { fieldsOf, isExpression, picked, refuseFoundNothing, refuseOthers } from './property';
import { operationAt, PRODUCTION, SIDE_BY_SIDE } from './names';

const LIMIT_DEFAULT = 50;

/** The options of the node itself, which are no matter of a single call. */
const own = new Set([PRODUCTION, SIDE_BY_SIDE]);

/** Whether orders may go out in any order. It takes no expression, because it is one for all items. */
export const isSideBySide = ({ options }: INodeParameters): boolean =>
	(options as IDataObject | undefined)?.[SIDE_BY_SIDE] === true;

/** The parameters of the form for one item. */
export interface NodeParameters {
	id: OperationId;
	input: Record<string, unknown>;
	options: Options;
	/** Most items to return; undefined returns all. Lists only. */
	limit?: number;
	/** Whether the node may write in production. */
	production: boolean;
	/** What the choice of this item leaves no use for, in words: the price of a row that is a market order. */
	leftOut: string[];
}

export const operationIn = (host: IExecuteFunctions, item: number): OperationId =>
	operationAt(String(host.getNodeParameter('resource', item)), String(host.getNodeParameter('operation', item, '')));

/** `form`: the parameters of the node as they are written, which n8n copies each time it is asked for them. */
export function readParameters(host: IExecuteFunctions, form: INodeParameters, item: number): NodeParameters {
	const id = operationIn(host, item);
	const operation = operationOf(id);
	const { input: fields, list }: Operation = operation;
	const filters = list ? collectionOf(host, 'filters', item) : {};
	const options = collectionOf(host, 'options', item);
	const collected = list ? filters : options;
	refuseNameBeside(operation, form);
	const entries = Object.entries(fields).map(([name, field]) => {
		const entered = isOpen(field, operation) ? host.getNodeParameter(name, item, '') : collected[name];
		const isItself = isEmpty(picked(entered)) && namesRecord(picked(form[name]), name);
		const value = isItself ? (recordId(name, field, jsonOf(host, item)) ?? entered) : entered;
		return [name, field.kind === 'timestamp' ? inZone(value, host.getTimezone()) : picked(value)] as const;
	});
	const values = Object.fromEntries(entries.filter(([name]) => !(list && name === OWN_PAGING)));
	const collection = form[list ? 'filters' : 'options'] as INodeParameters | undefined;
	const written = Object.entries(fields)
		.filter(([name, field]) => field.optional && applies(operation, name, values))
		.map(([name, field]) => [name, isOpen(field, operation) ? form[name] : collection?.[name]]);
	refuseFoundNothing(Object.fromEntries(written) as INodeParameters, fields, values, operation.label);
	const filled = Object.entries(values).filter(([, value]) => !isEmpty(value));
	const input = Object.fromEntries(filled.filter(([name]) => applies(operation, name, values)));
	return {
		id,
		input,
		leftOut: filled.filter(([name]) => !(name in input)).map(([name]) => whyLeftOut(operation, name)),
		options: optionsOfForm(operation, optionsOf(operation, { filters, options }, host.getTimezone())),
		limit: list ? limitOf(host, item) : undefined,
		production: isProductionAllowed(form['options'] as IDataObject | undefined),
	};
}

/** n8n hides such a field where its choice is fixed. Where each row decides, the field is shown for the other rows. */
function whyLeftOut({ label, input }: Operation, name: string): string {
	const [[sibling, value]] = Object.entries(input[name]!.onlyWhen!) as [[string, string]];
	return `${label}: ${input[name]!.label} counts only where ${input[sibling]!.label} is ${value}, and was left out`;
}

const jsonOf = (host: IExecuteFunctions, item: number): unknown => host.getInputData()[item]?.json;

/** A user must switch this on in the form. An expression would leave the decision to data or to a language model. */
function isProductionAllowed({ [PRODUCTION]: production = false }: IDataObject = {}): boolean {
	if (typeof production === 'boolean') return production;
	throw new ExchangeError('invalid_input', {
		field: 'production',
		what: 'Allow Production is for a person to switch on, and here it is an expression',
		advice: 'Set it to a fixed value in the form; nothing was sent',
	});
}

/**
 * The core treats only undefined as unset. An option added to the form counts as set, so an expression without a result
 * gives null.
 */
function optionsOf(
	operation: Operation,
	{ filters, options }: Readonly<Record<'filters' | 'options', Record<string, unknown>>>,
	timeZone: string,
): Options {
	const { input: inputs, list } = operation;
	const tucked = Object.keys(inputs).filter(
		(name) => !isOpen(inputs[name]!, operation) && !(list && name === OWN_PAGING),
	);
	if (list) refuseOthers(filters, tucked);
	refuseOthers(options, [...(operation.options ?? []), ...(list ? [] : tucked), ...own]);
	return Object.fromEntries(
		Object.entries(options).flatMap(([name, value]) => {
			if (own.has(name) || tucked.includes(name)) return [];
			const kind = Object.hasOwn(catalogueOptions, name) ? catalogueOptions[name as OptionId].kind : undefined;
			return [[name, (kind === 'timestamp' ? inZone(value, timeZone) : picked(value)) ?? null]];
		}),
	);
}

/**
 * The record that comes in names itself where the form asks for none other, so an order of a list can be cancelled as it
 * is. Where an expression asks for another, such as the order that it replaced, and finds none, that one is not meant.
 */
const namesRecord = (written: unknown, name: string): boolean =>
	!isExpression(written) || String(written).replaceAll(' ', '') === `={{$json.${name}}}`;

function limitOf(host: IExecuteFunctions, item: number): number | undefined {
	const returnAll = host.getNodeParameter('returnAll', item, false);
	if (readSwitch(returnAll, { field: 'returnAll', label: 'Return All' })) return undefined;
	return readCount('limit', { label: 'Limit' }, host.getNodeParameter('limit', item, LIMIT_DEFAULT));
}

function collectionOf(host: IExecuteFunctions, name: string, item: number): Record<string, unknown> {
	return fieldsOf(host.getNodeParameter(name, item, {}), name);
}

/**
 * A time without a zone is one of the workflow's, whatever the zone of the server, from the date picker or an
 * expression. What an expression such as `$now` gives is written out. Other values are returned unchanged.
 */
export function inZone(value: unknown, timeZone: string): unknown {
	if (isLuxon(value)) return value.toISO();
	const written = typeof value === 'string' ? readTime(value) : undefined;
	if (!written || written.isZoned) return value;
	const guess = written.at - offsetMs(written.at, timeZone);
	// Near a daylight-saving change, the offset at the guessed time is the right one.
	return new Date(written.at - offsetMs(guess, timeZone)).toISOString();
}

const isLuxon = (value: unknown): value is { toISO(): string } =>
	typeof value === 'object' && value !== null && 'isLuxonDateTime' in value && value.isLuxonDateTime === true;

/** The offset of a time zone from UTC at a moment, in milliseconds. */
function offsetMs(moment: number, timeZone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	}).formatToParts(moment);
	const part = (name: string): number => Number(parts.find(({ type }) => type === name)?.value);
	const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
	return local - Math.floor(moment / 1000) * 1000;
}
