import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startN8n, type TestN8n, type WorkflowText } from '../../support/n8n';

const text = (name: string, group: string, inputs: string[]): string => `displayName: '${name}', name: '${name}',
	group: ['${group}'], version: 1, description: 'A probe', defaults: { name: '${name}' },
	inputs: ${JSON.stringify(inputs)}, outputs: ['main'], properties: []`;
const trigger = `exports.TickTrigger = class { description = { ${text('tickTrigger', 'trigger', [])} };
	async trigger() {
		const memory = this.getWorkflowStaticData('node');
		const tick = () => { memory.count = (memory.count ?? 0) + 1; this.emit([[{ json: { count: memory.count } }]]); };
		const timer = setInterval(tick, 1000);
		return { closeFunction: async () => clearInterval(timer), manualTriggerFunction: async () => tick() };
	} };`;
const action = `exports.Double = class { description = { ${text('double', 'transform', ['main'])} };
	async execute() {
		return [this.getInputData().map(({ json }, item) => {
			if (json.count === undefined) throw new Error('No count');
			return { json: { doubled: json.count * 2 }, pairedItem: { item } };
		})];
	} };`;

const workflow: WorkflowText = {
	name: 'Probe',
	nodes: [
		{ name: 'Tick', type: 'n8n-nodes-probe.tickTrigger' },
		{ name: 'By Hand', type: 'n8n-nodes-base.manualTrigger' },
		{ name: 'Double', type: 'n8n-nodes-probe.double' },
	],
	connections: Object.fromEntries(
		['Tick', 'By Hand'].map((name) => [name, { main: [[{ node: 'Double', type: 'main', index: 0 }]] }]),
	),
};

describe('the n8n of the tests', () => {
	let folder: string;
	let n8n: TestN8n;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'probe-package-'));
		await mkdir(join(folder, 'dist'));
		const nodes = ['dist/TickTrigger.node.js', 'dist/Double.node.js'];
		const manifest = {
			name: 'n8n-nodes-probe',
			version: '1.0.0',
			files: ['dist'],
			n8n: { n8nNodesApiVersion: 1, nodes },
		};
		await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
		await writeFile(join(folder, 'dist', 'TickTrigger.node.js'), trigger);
		await writeFile(join(folder, 'dist', 'Double.node.js'), action);
		n8n = await startN8n({ packages: [folder] });
	});
	afterAll(async () => {
		await n8n.stop();
		await rm(folder, { recursive: true, force: true });
	});

	it('runs a published workflow from its trigger, before and after a restart', async () => {
		const { id } = await n8n.saveWorkflow(workflow);
		await n8n.publish(id);
		const executions = await n8n.waitForExecutions(id, 2);
		expect(executions.at(-1)).toMatchObject({ status: 'success', mode: 'trigger' });
		expect(executions.at(-1)!.itemsOf('Double')[0]!.json).toEqual({ doubled: 2 });
		await n8n.restart();
		await n8n.waitForExecutions(id, executions.length + 1);
		await n8n.unpublish(id);
	});

	it('runs a workflow by hand, and retries what failed', async () => {
		const { id } = await n8n.saveWorkflow(workflow);
		const execution = await n8n.runManually(id, 'By Hand');
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error?.message).toBe('No count');
		const again = await n8n.retry(execution.id);
		expect(again).toMatchObject({ status: 'error', mode: 'retry' });
	});
});
