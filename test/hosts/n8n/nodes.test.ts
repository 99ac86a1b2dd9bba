import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/hosts/ports';
import { SANDBOX_KEY, startSandbox, type SandboxHost } from '../../../scripts/hosts/sandbox';
import { until } from '../../support/condition';
import { ask } from '../../support/demo';
import { startN8n, type TestN8n, type WorkflowText } from '../../support/n8n';

const root = join(__dirname, '..', '..', '..');
const TYPE = 'partnerExchangeApi';
const ACTION = 'n8n-nodes-partner-exchange.partnerExchange';
const pair = { __rl: true, mode: 'list', value: 'USD/NGN' };
const buying = {
	resource: 'order',
	operation: 'create',
	pair_id: pair,
	side: 'buy',
	order_type: 'market',
	quantity: '1.00',
};

const chain = (names: string[]): WorkflowText['connections'] => {
	const pairs = names
		.slice(1)
		.map((to, index) => [names[index], { main: [[{ node: to, type: 'main', index: 0 }]] }] as const);
	return Object.fromEntries(pairs) as WorkflowText['connections'];
};

describe('our nodes in a complete n8n', () => {
	let sandbox: SandboxHost;
	let n8n: TestN8n;
	let credential: { id: string; name: string };
	let folder: string;

	const data = (apiKey: string): object => ({
		environment: 'sandbox',
		apiKey,
		baseUrl: sandbox.baseUrl,
		wsUrl: sandbox.wsUrl,
	});
	const workflow = (name: string, nodes: WorkflowText['nodes']): WorkflowText => ({
		name,
		nodes: nodes.map((node) => ({
			...node,
			...(node.type.startsWith('n8n-nodes-partner') ? { credentials: { [TYPE]: credential } } : {}),
		})),
		connections: chain(nodes.map((node) => node.name)),
	});

	/** An order placed outside n8n, as by another program of the same account. */
	const placeOrder = async (key: string): Promise<string> => {
		const { pair_id: _picked, resource: _resource, operation: _operation, ...order } = buying;
		const headers = { 'content-type': 'application/json', 'X-Api-Key': SANDBOX_KEY, 'Idempotency-Key': key };
		const body = JSON.stringify({ ...order, pair_id: 'USD/NGN' });
		const response = await fetch(`${sandbox.baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
		return ((await response.json()) as { data: { order_id: string } }).data.order_id;
	};

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'exchange-'));
		sandbox = await startSandbox({ root, port: await freePort(), dataFile: join(folder, 'exchange.db') });
		n8n = await startN8n({ packages: [root] });
		credential = await n8n.saveCredential({ name: 'Sandbox', type: TYPE, data: data(SANDBOX_KEY) });
	});
	afterAll(async () => {
		await n8n.stop();
		await sandbox.child.stop();
		await rm(folder, { recursive: true, force: true });
	});

	it('a complete n8n accepts a good key when a credential is saved, and refuses a wrong one in a clear sentence', async () => {
		expect(await n8n.testCredential({ name: 'Good', type: TYPE, data: data(SANDBOX_KEY) })).toMatchObject({
			status: 'OK',
		});
		const wrong = await n8n.testCredential({ name: 'Wrong', type: TYPE, data: data('no-such-key') });
		expect(wrong.status).toBe('Error');
		expect(wrong.message).not.toContain('no-such-key');
	});

	it('a complete n8n places an order and reads it back, keeping the key out of what it stores', async () => {
		const { id } = await n8n.saveWorkflow(
			workflow('Buy', [
				{ name: 'Go', type: 'n8n-nodes-base.manualTrigger' },
				{ name: 'Buy', type: ACTION, parameters: buying },
				{
					name: 'Read',
					type: ACTION,
					parameters: { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' },
				},
				{ name: 'Balances', type: ACTION, parameters: { resource: 'wallet', operation: 'getBalances' } },
			]),
		);
		const execution = await n8n.runManually(id, 'Go');
		expect(execution.status).toBe('success');
		const [bought] = execution.itemsOf('Buy');
		expect(execution.itemsOf('Read')[0]!.json).toMatchObject({
			id: bought!.json['order_id'],
			side: 'buy',
			quantity: '1.00',
		});
		expect(execution.itemsOf('Balances')[0]!.json).toHaveProperty('available');
		expect(execution.stored).not.toContain(SANDBOX_KEY);
	});

	it('a complete n8n shows a refused order as an error of the node, naming what to change', async () => {
		const parameters = { ...buying, quantity: '1e3' };
		const nodes = [
			{ name: 'Go', type: 'n8n-nodes-base.manualTrigger' },
			{ name: 'Buy', type: ACTION, parameters },
		];
		const { id } = await n8n.saveWorkflow(workflow('Refused', nodes));
		const execution = await n8n.runManually(id, 'Go');
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error?.message).toMatch(/quantity/i);
	});

	it('a complete n8n delivers each fill to a published workflow, also those that happened while it was down', async () => {
		const { id } = await n8n.saveWorkflow(
			workflow('Fills', [
				{
					name: 'Fills',
					type: 'n8n-nodes-partner-exchange.partnerExchangeTrigger',
					parameters: { topics: ['user.fills'], output: 'whole' },
				},
				{ name: 'End', type: 'n8n-nodes-base.noOp' },
			]),
		);
		await n8n.publish(id);
		const delivered = async (): Promise<string[]> => {
			const executions = await n8n.waitForExecutions(id, 0);
			const items = executions.flatMap((execution) => execution.itemsOf('End'));
			return items.map(({ json }) => (json['data'] as { order_id: string }).order_id);
		};
		const arrives = async (orderId: string): Promise<void> => {
			const isThere = async (): Promise<boolean> => (await delivered()).includes(orderId);
			await until(isThere, {
				everyMs: 200,
				what: `the fill of ${orderId}`,
				seen: () => n8n.log().slice(-1500),
			});
		};
		await arrives(await placeOrder('live'));
		await n8n.kill();
		const missed = [await placeOrder('missed-1'), await placeOrder('missed-2')];
		const filled = async (): Promise<boolean> => {
			const { fills } = await ask<{ fills: Array<{ order_id: string }> }>(sandbox.url, '/exchange/fills');
			return missed.every((orderId) => fills.some(({ order_id }) => order_id === orderId));
		};
		await until(filled, { what: 'both orders to be filled' });
		await n8n.restart();
		for (const orderId of missed) await arrives(orderId);
		expect(n8n.log()).not.toContain(SANDBOX_KEY);
	});
});
