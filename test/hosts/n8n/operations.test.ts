import { join } from 'node:path';
import { operationOf } from '@partner-exchange/core/catalogue';
import type { Sandbox } from '@partner-exchange/sandbox';
import { testOperations, type Target } from '../../conformance/operations';
import { parametersOf } from '../../conformance/targets';
import { startN8n } from '../../support/n8n';

const TYPE = 'partnerExchangeApi';

/** Each operation in a workflow of its own, started manually. */
async function completeN8n({ baseUrl, wsUrl }: Sandbox): Promise<Target> {
	const n8n = await startN8n({ packages: [join(__dirname, '..', '..', '..')] });
	const data = { environment: 'sandbox', apiKey: 'sandbox-key', baseUrl, wsUrl };
	const credentials = { [TYPE]: await n8n.saveCredential({ name: 'Sandbox', type: TYPE, data }) };
	return {
		run: async (operationId, input) => {
			const action = { name: 'Act', type: 'n8n-nodes-partner-exchange.partnerExchange', credentials };
			const { id } = await n8n.saveWorkflow({
				name: operationId,
				nodes: [
					{ name: 'Go', type: 'n8n-nodes-base.manualTrigger' },
					{ ...action, parameters: parametersOf(operationId, input) },
				],
				connections: { Go: { main: [[{ node: 'Act', type: 'main', index: 0 }]] } },
			});
			const execution = await n8n.runManually(id, 'Go');
			const { error } = execution.data.resultData;
			if (error) throw new Error(`${operationId}: ${error.message} ${error.description}`);
			const items = execution.itemsOf('Act').map(({ json }) => json);
			return operationOf(operationId).list ? items : items[0];
		},
		close: async () => await n8n.stop(),
	};
}

testOperations('the node in a complete n8n', completeN8n);
