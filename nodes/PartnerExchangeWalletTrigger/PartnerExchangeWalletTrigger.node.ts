import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { testCredential } from '../shared/account/credential-test';
import { listSearch } from '../shared/form/pickers';
import { poll } from '../shared/trigger/poll';
import { walletForm, eventInWords } from '../shared/trigger/wallet-form';

export class PartnerExchangeWalletTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Exchange Wallet Trigger',
		name: 'partnerExchangeWalletTrigger',
		icon: { light: 'file:../../icons/partnerExchange.svg', dark: 'file:../../icons/partnerExchange.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: eventInWords,
		description: 'Starts the workflow when a wallet transaction appears or changes, or a balance crosses a line',
		defaults: { name: 'Partner Exchange Wallet Trigger' },
		polling: true,
		eventTriggerDescription: 'Reading the wallet',
		triggerPanel: {
			header: 'The latest transaction is shown, or an example of the crossing',
			executionsHelp: {
				inactive:
					'A test shows the latest transaction, or an example of the crossing marked as one. <b>Publish</b> the workflow to look at the wallet as often as Poll Times says.',
				active: 'The wallet is looked at as often as Poll Times says. A test changes nothing about that.',
			},
			activationHint: 'Publish the workflow to look at the wallet as often as Poll Times says.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'partnerExchangeApi', required: true, testedBy: 'testCredential' }],
		properties: walletForm(),
	};

	methods = { listSearch, credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
