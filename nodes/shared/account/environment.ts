import type { Account } from '@partner-exchange/core';
import { addressLabels, environments, type Environment } from '@partner-exchange/core/catalogue';
import type { INodeProperties } from 'n8n-workflow';

const names = Object.keys(environments) as Environment[];
const { baseUrl, wsUrl } = environments.sandbox;

/** Environment and addresses of the credential. */
export const environmentForm = (): INodeProperties[] => [
	{
		displayName: 'Environment',
		name: 'environment',
		type: 'options',
		options: names.map((value) => ({ name: environments[value].label, value, description: environments[value].help })),
		default: 'sandbox',
	},
	...address({
		displayName: addressLabels.baseUrl,
		name: 'baseUrl',
		local: baseUrl,
		placeholder: 'e.g. https://api.example.com/v1',
		description: 'Address of the REST routes, ending in /v1, as the provider gave it for this environment',
	}),
	...address({
		displayName: addressLabels.wsUrl,
		name: 'wsUrl',
		local: wsUrl,
		placeholder: 'e.g. wss://api.example.com/v1/ws',
		description:
			'Address of the event stream, ending in /v1/ws. Its certificate and address are checked right before the connection, which n8n lets no node guard itself: do not set NODE_TLS_REJECT_UNAUTHORIZED=0, and use a name that only you can point elsewhere.',
	}),
];

interface Address extends Pick<INodeProperties, 'displayName' | 'name' | 'placeholder' | 'description'> {
	local: string;
}

/**
 * The address of the local sandbox is the same for all, so it is not stored: an empty field means it. A form cannot
 * empty a field when another environment is chosen, and this one has nothing to empty.
 */
const address = ({ local, ...words }: Address): INodeProperties[] => [
	{
		...words,
		type: 'string',
		default: '',
		placeholder: local,
		description: 'Leave it empty for the sandbox on this machine',
		displayOptions: { show: { environment: ['sandbox'] } },
	},
	{
		...words,
		type: 'string',
		required: true,
		default: '',
		// Shown by the environments that need it: n8n checks what it saves without the default of the environment.
		displayOptions: { show: { environment: names.filter((name) => name !== 'sandbox') } },
	},
];

/** The stored addresses; in the environment sandbox those of the local one stand for what is empty. */
export const addressesIn = (account: Account): Pick<Account, 'baseUrl' | 'wsUrl'> =>
	account.environment === 'sandbox'
		? { baseUrl: account.baseUrl.trim() || baseUrl, wsUrl: account.wsUrl.trim() || wsUrl }
		: account;
