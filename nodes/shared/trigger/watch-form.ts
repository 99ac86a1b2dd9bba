import { readWatch, type StoredFields, type Watch } from '@partner-exchange/core/adapters';
import { watchable } from '@partner-exchange/core/catalogue';
import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { picked } from '../form/parameters';
import { collectionOf, propertiesOf } from '../form/property';

export const watchForm = (): INodeProperties[] => [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(watchable).map(([value, { label, help }]) => ({ name: label, value, description: help })),
		default: 'transaction',
	},
	...Object.entries(watchable).flatMap(([event, { fields, filters, options }]) => [
		...propertiesOf(fields, { event: [event] }),
		...collectionOf({ name: 'filters', adds: 'Filter' }, filters, { event: [event] }),
		...collectionOf({ name: 'options', adds: 'Option' }, options, { event: [event] }),
	]),
];

/** The chosen event under its name in the form. n8n evaluates this as an expression. */
export const eventInWords = `={{ (${JSON.stringify(
	Object.fromEntries(Object.entries(watchable).map(([value, { label }]) => [value, label])),
)})[$parameter["event"]] }}`;

/** Filters, options and a picked value may be absent, as where another event was chosen before. */
export function readWatchForm(host: Pick<IPollFunctions, 'getNodeParameter'>): Watch {
	const event = host.getNodeParameter('event', '');
	const form = Object.entries(watchable).find(([id]) => id === event)?.[1];
	const added = (name: 'filters' | 'options'): IDataObject => host.getNodeParameter(name, {}) as IDataObject;
	const stored = {
		...Object.fromEntries(Object.keys(form?.fields ?? {}).map((name) => [name, host.getNodeParameter(name, '')])),
		...added('filters'),
		...added('options'),
	};
	const values: StoredFields = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, picked(value)]));
	return readWatch(event, values);
}
