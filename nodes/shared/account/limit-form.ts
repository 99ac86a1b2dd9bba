import { limitFields, stopSwitch } from '@partner-exchange/core/adapters';
import type { INodeProperties } from 'n8n-workflow';

/** The limits of the credential and its stop switch. */
export const limitForm = (): INodeProperties[] => [
	{
		displayName: stopSwitch.label,
		name: stopSwitch.name,
		type: 'boolean',
		default: true,
		description: stopSwitch.help,
	},
	...Object.entries(limitFields).map(([name, { label, help, example }]): INodeProperties => ({
		displayName: label,
		name,
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description: help,
	})),
];
