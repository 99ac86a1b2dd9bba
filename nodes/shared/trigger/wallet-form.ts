import type { Threshold, TransactionFilters } from '@partner-exchange/core';
import { readThreshold, readTransactions, type StoredFields } from '@partner-exchange/core/adapters';
import { listeners } from '@partner-exchange/core/catalogue';
import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { picked } from '../form/parameters';
import { collectionOf, propertiesOf } from '../form/property';

/** What the wallet trigger watches. */
export type WalletChoice =
	{ event: 'transaction'; filters: TransactionFilters } | { event: 'balance'; threshold: Threshold };

const { transactions, balances } = listeners;
const events = { balance: balances, transaction: transactions };

export const walletForm = (): INodeProperties[] => [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(events).map(([value, { label, help }]) => ({ name: label, value, description: help })),
		default: 'transaction',
	},
	...Object.entries(events).flatMap(([event, { fields, filters, options }]) => [
		...propertiesOf(fields, { event: [event] }),
		...collectionOf({ name: 'filters', adds: 'Filter' }, filters, { event: [event] }),
		...collectionOf({ name: 'options', adds: 'Option' }, options, { event: [event] }),
	]),
];

/** The chosen event under its name in the form. n8n evaluates this as an expression. */
export const eventInWords = `={{ (${JSON.stringify(
	Object.fromEntries(Object.entries(events).map(([value, { label }]) => [value, label])),
)})[$parameter["event"]] }}`;

export function readWalletForm(host: Pick<IPollFunctions, 'getNodeParameter'>): WalletChoice {
	const stored = (names: readonly string[]): StoredFields =>
		Object.fromEntries(names.map((name) => [name, picked(host.getNodeParameter(name, ''))]));
	const added = (name: 'filters' | 'options'): IDataObject => host.getNodeParameter(name, {}) as IDataObject;
	if (host.getNodeParameter('event', '') === 'transaction') {
		const { currency, ...others } = added('filters');
		return { event: 'transaction', filters: readTransactions({ ...others, currency: picked(currency) }) };
	}
	const threshold = readThreshold({ ...stored(Object.keys(balances.fields)), ...added('options') });
	return { event: 'balance', threshold };
}
