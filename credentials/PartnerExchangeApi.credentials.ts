import { limitFields, stopSwitch } from '@partner-exchange/core/adapters';
import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';
import { environmentForm, section, withFixed } from '../nodes/shared/account/credential-form';

/** The limits of the credential and its stop switch. */
const limitsForm: INodeProperties[] = [
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

const advancedForm: INodeProperties[] = [
	{
		displayName: 'Test Hosts',
		name: 'testHosts',
		type: 'string',
		default: '',
		placeholder: 'e.g. staging.example.com',
		description:
			'Hosts of the addresses above that hold no real money, separated by commas. Any other host than this machine counts as production, whatever the environment is called.',
	},
	{
		displayName: 'Allow Different Hosts',
		name: 'allowDifferentHosts',
		type: 'boolean',
		default: true,
		description: 'Whether Service Address and Stream Address are meant to name different hosts',
	},
	{
		displayName: 'Control Token',
		name: 'controlToken',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description:
			'Token the sandbox was started with (--control-token), to steer it. A sandbox on this machine that was started without one needs none.',
	},
	{
		displayName: 'Wire Names',
		name: 'names',
		type: 'json',
		default: '{}',
		description: 'Names for inputs the service documents without a name, such as { "order.list.limit": "page_size" }',
	},
];

/**
 * The key and addresses of one account. The action node tests the credential, because only the core can say why it
 * fails. It has no `authenticate`: with one, the HTTP Request node sends the key to any address that a workflow names,
 * and orders past the limits and the stop switch.
 */
export class PartnerExchangeApi implements ICredentialType {
	name = 'partnerExchangeApi';

	displayName = 'Partner Exchange API';

	icon: Icon = { light: 'file:../icons/partnerExchange.svg', dark: 'file:../icons/partnerExchange.dark.svg' };

	documentationUrl = 'https://github.com/partner-exchange/n8n-nodes-partner-exchange/blob/main/docs/guides/n8n.md';

	properties: INodeProperties[] = withFixed([
		...environmentForm(),
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. sandbox-key',
			description:
				'Key of this environment. The sandbox on your machine takes sandbox-key; staging and production have keys of their own. Only the Partner Exchange nodes use it: the HTTP Request node cannot send it.',
		},
		section({
			displayName: 'Limits',
			name: 'limits',
			placeholder: 'Add Limit',
			description:
				'How much this credential may send, whichever workflow sends it, and the switch that stops all its orders',
			fields: limitsForm,
		}),
		section({
			displayName: 'Advanced',
			name: 'advanced',
			placeholder: 'Add Setting',
			description: 'What only some accounts need',
			fields: advancedForm,
		}),
	]);
}
