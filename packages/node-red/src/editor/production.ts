/** Whether an account may be one where money is real, as the editor has it: deployed or not. */
import { isProduction } from '@partner-exchange/core/adapters';
import type { Environment } from '@partner-exchange/core/catalogue';
import { RED } from './host';

/** An account that is missing, or that the editor cannot read, may be one. So may one whose settings are variables. */
export function mayBeProduction(id: string | undefined): boolean {
	const account = id === undefined ? null : RED.nodes.node(id);
	if (!account) return true;
	const text = (name: string): string => String(account[name] ?? '').trim();
	try {
		const environment = text('environment') as Environment;
		const { baseUrl, wsUrl, testHosts } = {
			baseUrl: text('baseUrl'),
			wsUrl: text('wsUrl'),
			testHosts: text('testHosts'),
		};
		return isProduction({ environment, baseUrl, wsUrl, testHosts, apiKey: '' });
	} catch {
		return true;
	}
}
