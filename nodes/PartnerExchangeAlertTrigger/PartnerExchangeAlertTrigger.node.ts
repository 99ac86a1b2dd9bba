import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { credentialTest } from '../shared/account/credential-test';
import { listSearch } from '../shared/form/pickers';
import { poll, eventInWords, watchForm } from '../shared/trigger/poll';

const properties = watchForm();

export class PartnerExchangeAlertTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Exchange Alert Trigger',
		name: 'partnerExchangeAlertTrigger',
		icon: { light: 'file:../../icons/partnerExchange.svg', dark: 'file:../../icons/partnerExchange.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: eventInWords,
		description:
			'Starts the workflow when a rate or a balance crosses a line, or a wallet transaction appears or changes',
		defaults: { name: 'Partner Exchange Alert Trigger' },
		polling: true,
		eventTriggerDescription: 'Looking once',
		triggerPanel: {
			header: 'The latest transaction is shown, or an example of the crossing',
			executionsHelp: {
				inactive:
					'A test shows the latest transaction, or an example of the crossing marked as one. What is past its line already is reported only with Tell Also If Already Past It. <b>Publish</b> the workflow to look as often as Poll Times says.',
				active: 'It looks as often as Poll Times says. A test changes nothing about that.',
			},
			activationHint: 'Publish the workflow to look as often as Poll Times says.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'partnerExchangeApi', required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = { listSearch, credentialTest };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, properties);
	}
}
