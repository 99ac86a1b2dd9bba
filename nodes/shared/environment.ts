import { environments, type Environment } from '@partner-exchange/core/catalogue';
import type { INodeProperties } from 'n8n-workflow';

const names = Object.keys(environments) as Environment[];
const { baseUrl, wsUrl } = environments.sandbox;

/**
 * Environment and addresses of the credential. Only the local sandbox has addresses that are the same for all users.
 */
export const environmentForm = (): INodeProperties[] => [
	{
		displayName: 'Environment',
		name: 'environment',
		type: 'options',
		options: names.map((value) => ({ name: environments[value].label, value, description: environments[value].help })),
		default: 'sandbox',
	},
	{
		displayName: 'Base URL',
		name: 'baseUrl',
		type: 'string',
		required: true,
		default: baseUrl,
		placeholder: 'e.g. https://api.example.com/v1',
		description: 'Address of the REST routes, ending in /v1, as the provider gave it for this environment',
	},
	{
		displayName: 'WebSocket URL',
		name: 'wsUrl',
		type: 'string',
		required: true,
		default: wsUrl,
		placeholder: 'e.g. wss://api.example.com/v1/ws',
		description: 'Address of the event stream, ending in /v1/ws',
	},
];
