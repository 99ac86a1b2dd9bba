import { type INodeType, type INodeTypeDescription, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';
import { testCredential } from '../shared/credential-test';
import { outputs } from '../shared/failure';
import { listen } from '../shared/listen';
import { loadOptions } from '../shared/pickers';
import { subscriptionForm } from '../shared/subscription';

export class PartnerExchangeTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Exchange Trigger',
		name: 'partnerExchangeTrigger',
		icon: { light: 'file:../../icons/partnerExchange.svg', dark: 'file:../../icons/partnerExchange.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["topics"].join(", ") }}',
		description: 'Starts the workflow when an order changes, a fill arrives or the market moves, and misses none',
		defaults: { name: 'Partner Exchange Trigger' },
		inputs: [],
		outputs,
		credentials: [{ name: 'partnerExchangeApi', required: true, testedBy: 'testCredential' }],
		properties: subscriptionForm(),
	};

	methods = { loadOptions, credentialTest: { testCredential } };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await listen(this);
	}
}
