import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { credentialTest } from '../shared/account/credential-test';
import { execute } from '../shared/action/execute';
import { actionForm } from '../shared/form/form';
import { operationInWords } from '../shared/form/names';
import { listSearch } from '../shared/form/pickers';

const properties = actionForm();

export class PartnerExchange implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Exchange',
		name: 'partnerExchange',
		icon: { light: 'file:../../icons/partnerExchange.svg', dark: 'file:../../icons/partnerExchange.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationInWords,
		description: 'Trade USD/NGN on the partner exchange, and read its orders, wallets, recipients and market data',
		defaults: { name: 'Partner Exchange' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'partnerExchangeApi', required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = { listSearch, credentialTest };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await execute(this, properties);
	}
}
