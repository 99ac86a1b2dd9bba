import { type INodeType, type INodeTypeDescription, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';
import { testCredential } from '../shared/account/credential-test';
import { outputs } from '../shared/delivery/outputs';
import { loadOptions } from '../shared/form/pickers';
import { inOneText, nodeError } from '../shared/host/errors';
import { activate } from '../shared/trigger/activation';
import { testManually } from '../shared/trigger/manual-test';
import { subscriptionForm, topicsInWords } from '../shared/trigger/subscription';

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
			const failure = nodeError(this.getNode(), error);
			throw this.getMode() === 'manual' ? failure : inOneText(failure);
		}
	}
}
