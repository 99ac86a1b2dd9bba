import { ExchangeError, operationOf, type Field, type OperationId, type Options } from '@partner-exchange/core';
import type { IExecuteFunctions } from 'n8n-workflow';
import { isOpen } from './form';
import { operationAt } from './names';
import { inZone } from './times';

const LIMIT_DEFAULT = 50;

/** What the form says for one item. */
export interface NodeParameters {
	id: OperationId;
	input: Record<string, unknown>;
	options: Options;
	/** Items to return in all; nothing for every one. Lists only. */
	limit?: number;
	/** Whether the node may change anything in production. */
	production: boolean;
}

export function readParameters(host: IExecuteFunctions, item: number): NodeParameters {
	const resource = String(host.getNodeParameter('resource', item));
	const id = operationAt(resource, String(host.getNodeParameter('operation', item)));
	const { input, list } = operationOf(id);
	const tucked = collectionOf(host, list ? 'filters' : 'additionalFields', item);
	const given = Object.entries(input).map(([name, field]: [string, Field]) => {
		const value = isOpen(name, id) ? host.getNodeParameter(name, item, '') : tucked[name];
		return [name, field.kind === 'timestamp' ? inZone(value, host.getTimezone()) : picked(value)] as const;
	});
	return {
		id,
		input: Object.fromEntries(given.filter(([name, value]) => isGiven(value) && !(list && name === 'limit'))),
		options: Object.fromEntries(
			Object.entries(collectionOf(host, 'options', item)).filter(([, value]) => isGiven(value)),
		),
		limit: list ? limitOf(host, item) : undefined,
		production: host.getNodeParameter('production', item, false) === true,
	};
}

function limitOf(host: IExecuteFunctions, item: number): number | undefined {
	if (host.getNodeParameter('returnAll', item, false) === true) return undefined;
	const limit = Number(host.getNodeParameter('limit', item, LIMIT_DEFAULT));
	if (Number.isSafeInteger(limit) && limit >= 1) return limit;
	throw new ExchangeError('invalid_input', { field: 'limit', what: 'Limit must be a whole number of at least 1' });
}

function collectionOf(host: IExecuteFunctions, name: string, item: number): Record<string, unknown> {
	const given: unknown = host.getNodeParameter(name, item, {});
	return typeof given === 'object' && given !== null ? { ...given } : {};
}

/** What was picked from a list or typed beside it. */
export function picked(value: unknown): unknown {
	return typeof value === 'object' && value !== null && '__rl' in value
		? (value as unknown as { value: unknown }).value
		: value;
}

/** Expressions may give one text where the form gives a list. */
export function listIn(given: unknown): string[] {
	const values: unknown[] = Array.isArray(given) ? given : typeof given === 'string' ? given.split(',') : [];
	return values.map((value) => String(value).trim()).filter((value) => value !== '');
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
