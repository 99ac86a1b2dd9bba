import { type INodeType, type INodeTypeDescription, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';
import { activate } from '../shared/activation';
import { testCredential } from '../shared/credential-test';
import { nodeError } from '../shared/errors';
import { testManually } from '../shared/manual-test';
import { outputs } from '../shared/outputs';
import { loadOptions } from '../shared/pickers';
import { subscriptionForm, topicsInWords } from '../shared/subscription';

export class PartnerExchangeTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Exchange Trigger',
		name: 'partnerExchangeTrigger',
		icon: { light: 'file:../../icons/partnerExchange.svg', dark: 'file:../../icons/partnerExchange.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: topicsInWords,
		// The node panel of n8n lists a trigger and its action node as one entry, and shows this text for both.
		description:
			'Trade USD/NGN, read orders, wallets and markets, or start a workflow on every order update and every fill',
		defaults: { name: 'Partner Exchange Trigger' },
		inputs: [],
		outputs,
		credentials: [{ name: 'partnerExchangeApi', required: true, testedBy: 'testCredential' }],
		properties: subscriptionForm(),
	};

	methods = { loadOptions, credentialTest: { testCredential } };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		try {
			return await (this.getMode() === 'manual' ? testManually(this) : activate(this));
		} catch (error) {
			throw nodeError(this.getNode(), error);
		}
	}
}
