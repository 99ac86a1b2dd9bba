import type { Threshold, TransactionFilters } from '@partner-exchange/core';
import { readSwitch } from '@partner-exchange/core/adapters';
import { transactionStatuses } from '@partner-exchange/core/catalogue';
import type { INodeProperties, INodePropertyOptions, IPollFunctions } from 'n8n-workflow';
import { listIn, picked } from '../form/parameters';
import { choicesOf, picker } from '../form/property';

/** What the wallet trigger watches. */
export type WalletChoice =
	{ event: 'transaction'; filters: TransactionFilters } | { event: 'balance'; threshold: Threshold };

const onTransaction = { show: { event: ['transaction'] } };
const onBalance = { show: { event: ['balance'] } };
const currencyPicker = picker({ kind: 'text', label: 'Currency', help: '', example: 'NGN', pick: 'currency' });

export const walletForm = (): INodeProperties[] => [
	eventChoice,
	...balanceInputs(),
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: filterChoices(),
		displayOptions: onTransaction,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: lineChoices(),
		displayOptions: onBalance,
	},
];

const eventChoice: INodeProperties = {
	displayName: 'Trigger On',
	name: 'event',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Balance Crossing a Line',
			value: 'balance',
			description: 'A balance falls below or rises above an amount',
		},
		{
			name: 'New or Changed Transaction',
			value: 'transaction',
			description: 'A deposit, withdrawal or other movement, and each change of its status',
		},
	],
	default: 'transaction',
};

/** The chosen event under its name in the form. n8n evaluates this as an expression. */
export const eventInWords = `={{ (${JSON.stringify(
	Object.fromEntries((eventChoice.options as INodePropertyOptions[]).map(({ name, value }) => [value, name])),
)})[$parameter["event"]] }}`;

function balanceInputs(): INodeProperties[] {
	return [
		{
			displayName: 'Currency',
			name: 'currency',
			...currencyPicker,
			required: true,
			description: 'Whose balance to watch',
			displayOptions: onBalance,
		},
		{
			displayName: 'Threshold',
			name: 'threshold',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 5000000.00',
			description: 'The amount that is the line',
			hint: 'In the chosen currency. A balance that is already past it is told only with Tell Also When the Balance Is Already Past It, under Options.',
			displayOptions: onBalance,
		},
		{
			displayName: 'Direction',
			name: 'direction',
			type: 'options',
			options: choicesOf(['below', 'above', 'both']),
			default: 'below',
			description: 'Which crossing starts the workflow',
			displayOptions: onBalance,
		},
	];
}

function filterChoices(): INodeProperties[] {
	return [
		{
			displayName: 'Currency',
			name: 'currency',
			...currencyPicker,
			description: 'Only transactions of this wallet currency',
		},
		{
			displayName: 'Rail',
			name: 'rail',
			type: 'string',
			default: '',
			placeholder: 'e.g. USDT',
			description: 'Only transactions on this rail or settled on it',
		},
		{
			displayName: 'Status',
			name: 'status',
			type: 'multiOptions',
			options: choicesOf(Object.keys(transactionStatuses)),
			default: [],
			description: 'Only transactions that reach one of these statuses',
		},
	];
}

function lineChoices(): INodeProperties[] {
	return [
		{
			displayName: 'Tell Also When the Balance Is Already Past It',
			name: 'initial',
			type: 'boolean',
			default: false,
			description:
				'Whether to start the workflow also when the balance is already past the line at the first look, instead of waiting for the next crossing',
		},
		{
			displayName: 'Margin',
			name: 'hysteresis',
			type: 'string',
			default: '',
			placeholder: 'e.g. 100000.00',
			description:
				'How far the balance must come back before another crossing counts, so that small movements around the line stay quiet',
		},
		{
			displayName: 'Part of the Balance',
			name: 'field',
			type: 'options',
			options: choicesOf(['available', 'locked', 'total']),
			default: 'available',
			description: 'Which figure to compare; available is what can be spent',
		},
	];
}

export function readWalletForm(host: Pick<IPollFunctions, 'getNodeParameter'>): WalletChoice {
	const text = (name: string): string => String(picked(host.getNodeParameter(name, '')) ?? '');
	if (text('event') === 'transaction') {
		const { status, currency, rail } = host.getNodeParameter('filters', {}) as Record<string, unknown>;
		return {
			event: 'transaction',
			filters: { statuses: listIn(status), currencies: listIn(picked(currency)), rails: listIn(rail) },
		};
	}
	const { field, hysteresis, initial } = host.getNodeParameter('options', {}) as {
		field?: Threshold['field'];
		hysteresis?: string;
		initial?: unknown;
	};
	const direction = text('direction') as Threshold['direction'];
	return {
		event: 'balance',
		threshold: {
			currency: text('currency'),
			amount: text('threshold'),
			direction,
			field,
			hysteresis,
			initial:
				initial === undefined
					? false
					: readSwitch(initial, { field: 'initial', label: 'Tell Also When the Balance Is Already Past It' }),
		},
	};
}
