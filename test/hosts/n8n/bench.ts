/** A complete n8n next to a sandbox in this process, so that the test can compare with the exchange's own records. */
import { join } from 'node:path';
import { startSandbox, type Sandbox, type SandboxOptions } from '@partner-exchange/sandbox';
import { freePort } from '../../../scripts/hosts/ports';
import { startN8n, type TestN8n, type TestOptions, type WorkflowText } from '../../support/n8n';

export const KEY = 'sandbox-key';

export const root = join(__dirname, '..', '..', '..');
const CREDENTIAL = 'partnerExchangeApi';
const OURS = 'n8n-nodes-partner-exchange.';

export interface Bench {
	/** The current sandbox; `restartSandbox` replaces it. */
	sandbox: () => Sandbox;
	/** Ends the service; `restartSandbox` brings it back. */
	stopSandbox: () => Promise<void>;
	/** Stops the service and starts it again at the same address with the same data file. */
	restartSandbox: () => Promise<void>;
	n8n: TestN8n;
	/** Saves a workflow whose nodes form a chain, or with the given connections; ours use the sandbox's credential. */
	save: (
		name: string,
		nodes: NodeText[],
		connections?: Record<string, unknown>,
		settings?: Record<string, unknown>,
	) => Promise<string>;
	close: () => Promise<void>;
}

type NodeText = WorkflowText['nodes'][number];

export const openBench = async (options: SandboxOptions, n8nOptions: TestOptions = {}): Promise<Bench> =>
	await benchOn(options, async () => await startN8n({ packages: [root], ...n8nOptions }));

/** A bench on the n8n that this starts, which the bench stops at its end. */
export async function benchOn(options: SandboxOptions, start: () => Promise<TestN8n>): Promise<Bench> {
	const place = { seed: 7, ...options, port: await freePort() };
	let sandbox = await startSandbox(place);
	let isAway = false;
	const stopSandbox = async (): Promise<void> => {
		if (!isAway) await sandbox.close();
		isAway = true;
	};
	const n8n = await start().catch(async (error) => {
		await sandbox.close();
		throw error;
	});
	const { baseUrl, wsUrl } = sandbox;
	const data = { environment: 'sandbox', apiKey: KEY, baseUrl, wsUrl };
	const credential = await n8n.saveCredential({ name: 'Sandbox', type: CREDENTIAL, data });
	const withCredential = (node: NodeText): NodeText =>
		node.type.startsWith(OURS) ? { ...node, credentials: { [CREDENTIAL]: credential } } : node;
	return {
		sandbox: () => sandbox,
		stopSandbox,
		restartSandbox: async () => {
			await stopSandbox();
			sandbox = await startSandbox(place);
			isAway = false;
		},
		n8n,
		save: async (name, nodes, connections = inLine(nodes), settings = {}) =>
			(await n8n.saveWorkflow({ name, nodes: nodes.map(withCredential), connections, settings })).id,
		close: async () => {
			await n8n.stop();
			await stopSandbox();
		},
	};
}

function inLine(nodes: NodeText[]): Record<string, unknown> {
	const wires = nodes.slice(1).map(({ name }, index) => {
		const from = nodes[index]!.name;
		return [from, { main: [[{ node: name, type: 'main', index: 0 }]] }] as const;
	});
	return Object.fromEntries(wires);
}

export const byHand: NodeText = { name: 'Go', type: 'n8n-nodes-base.manualTrigger' };

/** Runs when its address is requested, and responds at once. */
export const called = (path: string): NodeText => ({
	name: 'Called',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	// n8n 2 adds one itself; without it the address would contain the workflow's ID.
	webhookId: path,
	parameters: { path, httpMethod: 'GET', responseMode: 'onReceived' },
});

/** Buys at a price nobody offers, so that the order rests. */
export const buying = (more: Record<string, unknown> = {}, settings: Record<string, unknown> = {}): NodeText => ({
	name: 'Buy',
	type: `${OURS}partnerExchange`,
	parameters: {
		...{ resource: 'order', operation: 'create', side: 'buy', order_type: 'limit' },
		pair_id: { __rl: true, mode: 'list', value: 'USD/NGN' },
		...{ price: '1400.00', quantity: '1.00' },
		...more,
	},
	...settings,
});

/** Calls a workflow that begins with `begun`. */
export const calling = (value: string, settings: Record<string, unknown> = {}): NodeText => ({
	...{ name: 'Call', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2, ...settings },
	parameters: { workflowId: { __rl: true, mode: 'id', value } },
});

/** Begins a sub-workflow, with the items of the workflow that calls it. */
export const begun: NodeText = {
	...{ name: 'Start', type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 },
	parameters: { inputSource: 'passthrough' },
};

export const listening = (parameters: Record<string, unknown>): NodeText => ({
	name: 'Fills',
	type: `${OURS}partnerExchangeTrigger`,
	parameters: { output: 'whole', ...parameters },
});

export const isOrder = ({ method, path }: { method: string; path: string }): boolean =>
	method === 'POST' && path.endsWith('/orders');
