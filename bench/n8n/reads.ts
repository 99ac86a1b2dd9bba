import { startN8n, type TestN8n } from '../../test/support/n8n';
import { serveRest } from '../areas/rest/server';

const READS = 1_000;
const HTTP_REQUEST = { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 };
const NODE = { id: 'read', name: 'Read', position: [400, 0] };
const OURS = 'n8n-nodes-partner-exchange.partnerExchange';

/**
 * Reads of one node in a complete n8n, which takes each credential from its database: ours beside n8n's own, in turns.
 * Prints how long the node ran, and the ratios of each round.
 */
export async function reads(rounds: number): Promise<void> {
	const address = await serveRest();
	const n8n = await startN8n({ packages: ['.'] });
	try {
		const ids = await workflows(n8n, address);
		const took = Object.fromEntries(Object.keys(ids).map((name) => [name, [] as number[]]));
		for (const id of Object.values(ids)) await timeOf(n8n, id);
		for (let round = 0; round < rounds; round += 1)
			for (const [name, id] of Object.entries(ids)) took[name]!.push(await timeOf(n8n, id));
		for (const [name, times] of Object.entries(took))
			print(`${name}: ${times.join(', ')} ms; ${times.map((ms, at) => ratio(ms, took.ours![at]!)).join(', ')}`);
	} finally {
		await n8n.stop();
	}
}

const ratio = (ms: number, ours: number): string => `${(ms / ours).toFixed(2)}x`;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** One workflow each: a thousand items, and a node that reads an order for each of them. */
async function workflows(n8n: TestN8n, address: string): Promise<Record<string, string>> {
	const places = { baseUrl: `http://${address}/v1`, wsUrl: `ws://${address}/v1/ws` };
	const account = { environment: 'sandbox', apiKey: 'bench-key', ...places };
	const partnerExchangeApi = await n8n.saveCredential({ name: 'Ours', type: 'partnerExchangeApi', data: account });
	const header = { name: 'X-Api-Key', value: 'bench-key' };
	const httpHeaderAuth = await n8n.saveCredential({ name: 'Header', type: 'httpHeaderAuth', data: header });
	const url = `=${places.baseUrl}/partner/exchange/orders/{{ $json.order_id }}`;
	const keyed = { url, authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth', options: {} };
	const get = { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' };
	const nodes = {
		ours: { ...NODE, type: OURS, typeVersion: 1, parameters: get, credentials: { partnerExchangeApi } },
		'HTTP Request, the key in a credential': {
			...NODE,
			...HTTP_REQUEST,
			parameters: keyed,
			credentials: { httpHeaderAuth },
		},
		'HTTP Request, without a key': { ...NODE, ...HTTP_REQUEST, parameters: { url, options: {} } },
	};
	const ids: Record<string, string> = {};
	for (const [name, node] of Object.entries(nodes))
		ids[name] = (await n8n.saveWorkflow({ name, nodes: [...items, node], connections, settings: {} })).id;
	return ids;
}

const list = Array.from({ length: READS }, (_, index) => ({ order_id: `order-${index}` }));
const items = [
	{ id: 'go', name: 'Go', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
	{
		...{ id: 'list', name: 'List', type: 'n8n-nodes-base.set', typeVersion: 3.4, position: [100, 0] },
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ list }), options: {} },
	},
	{
		...{ id: 'items', name: 'Items', type: 'n8n-nodes-base.splitOut', typeVersion: 1, position: [200, 0] },
		parameters: { fieldToSplitOut: 'list', options: {} },
	},
];
const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
const connections = { Go: to('List'), List: to('Items'), Items: to('Read') };

/** How long the node ran, as n8n counts it. */
async function timeOf(n8n: TestN8n, id: string): Promise<number> {
	const { data } = await n8n.runManually(id, 'Go');
	const [run] = data.resultData.runData.Read ?? [];
	if (run?.executionStatus !== 'success') throw new Error(`The node ended with ${run?.error?.message ?? 'nothing'}`);
	return run.executionTime;
}
