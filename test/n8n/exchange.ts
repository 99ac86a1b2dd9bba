/** Shared by the tests of the n8n nodes: the nodes against a sandbox, and a completed form. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { runNode, type EngineRun, type RunOptions } from '../support/engine';

export const NODE = 'Partner Exchange';

export const credentialFor = ({ baseUrl, wsUrl }: Pick<Sandbox, 'baseUrl' | 'wsUrl'>, more: IDataObject = {}) => ({
	credentials: {
		partnerExchangeApi: { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key', ...more } as never,
	},
	credentialTypes: [PartnerExchangeApi],
});

/** A value selected in a picker, as n8n stores it. */
export const pick = (value: string, mode = 'list') => ({ __rl: true, mode, value });

export const limitOrder = {
	resource: 'order',
	operation: 'create',
	pair_id: pick('USD/NGN'),
	side: 'buy',
	order_type: 'limit',
	quantity: '10.00',
	price: '1000.00',
} as unknown as INodeParameters;

/** Form values that satisfy the required inputs of every operation. */
export const anything = {
	...{ pair_id: pick('USD/NGN'), side: 'buy', order_type: 'market', quantity: '1.00', price: '1.00', order_id: 'x' },
	...{ recipient_type: 'crypto', label: 'x', chain: 'TRON', crypto_address: 'x', recipient_id: 'x' },
	...{ bank_code: '058', account_number: '0123456789' },
	...{ email: 'trader@sandbox.test', amount: '1.00', currency: 'NGN', asset: 'USDT', transaction_id: 'x' },
	...{ kind: 'refuse', advance_ms: 1, name: 'quiet-market' },
};

type Extra = Omit<RunOptions, 'credentials'> & { settings?: object; credential?: IDataObject };

let executions = 0;

/** One execution of the node. As in n8n, each has an ID of its own unless the test sets one. */
export async function run(sandbox: Sandbox, parameters: IDataObject, extra: Extra = {}): Promise<EngineRun> {
	const { credential, ...options } = extra;
	return await runNode(PartnerExchange, {
		...credentialFor(sandbox, credential),
		executionId: `execution-${(executions += 1)}`,
		parameters: parameters as INodeParameters,
		...options,
	});
}

/** The first item of a run that is expected to succeed. */
export async function answer(sandbox: Sandbox, parameters: IDataObject, extra: Extra = {}): Promise<IDataObject> {
	const made = await run(sandbox, parameters, extra);
	if (made.error) throw new Error(`${made.error.message} ${String(made.error['description'])}`);
	return made.items[0]?.json ?? {};
}

/** The editor as the lists to pick from see it. */
export function fetchingHost({ credentials }: ReturnType<typeof credentialFor>) {
	const httpRequest = async ({ url, headers }: { url: string; headers: Record<string, string> }) => {
		const response = await fetch(url, { headers });
		return { statusCode: response.status, headers: {}, body: await response.text() };
	};
	return {
		getCredentials: () => Promise.resolve(credentials.partnerExchangeApi),
		getNode: () => ({ name: 'n', credentials: { partnerExchangeApi: { id: '1', name: 'My Sandbox' } } }),
		helpers: { httpRequest },
	};
}
