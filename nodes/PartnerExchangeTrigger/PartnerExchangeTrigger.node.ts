import { type INodeType, type INodeTypeDescription, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';
import { credentialTest } from '../shared/account/credential-test';
import { outputs } from '../shared/delivery/outputs';
import { loadOptions } from '../shared/form/pickers';
import { trigger } from '../shared/trigger/activation';
import { subscriptionForm, topicsInWords } from '../shared/trigger/subscription';

const properties = subscriptionForm();

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
		eventTriggerDescription: 'Waiting for what is chosen under Trigger On',
		triggerPanel: {
			header: 'The latest event is shown, an example if the account has none yet, or the next',
			executionsHelp: {
				inactive:
					'A test shows the latest event of what is chosen, an example marked as one if there has been no event yet, or waits for the next. <b>Publish</b> the workflow to start it on every event.',
				active:
					'The workflow starts on every event of what is chosen. A test shows the latest one beside that, and changes nothing about it.',
			},
			activationHint: 'Publish the workflow to start it on every event, also on those missed while it was away.',
		},
		inputs: [],
		outputs,
		credentials: [{ name: 'partnerExchangeApi', required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = { loadOptions, credentialTest };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await trigger(this, properties);
	}
}
