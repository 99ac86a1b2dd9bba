import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../../support/condition';
import { startN8n, type TestN8n } from '../../support/n8n';
import { startWire, type Answer, type Wire } from '../../support/wire';

const text = (name: string, group: string, inputs: string[]): string => `displayName: '${name}', name: '${name}',
	group: ['${group}'], version: 1, description: 'A probe', defaults: { name: '${name}' },
	inputs: ${JSON.stringify(inputs)}, outputs: ['main'], properties: []`;
/** A trigger that fires on request, and an action that stores a value and then waits for a response. */
const toldTrigger = `exports.ToldTrigger = class { description = { ${text('toldTrigger', 'trigger', [])} };
	async trigger() {
		const memory = this.getWorkflowStaticData('node');
		const look = async () => {
			const told = await fetch(process.env.PROBE_URL + '/tick').then((answer) => answer.status === 200, () => false);
			if (!told) return;
			memory.count = (memory.count ?? 0) + 1;
			this.emit([[{ json: { count: memory.count } }]]);
		};
		const timer = setInterval(look, 100);
		return { closeFunction: async () => clearInterval(timer) };
	} };`;
const keeper = `exports.Keeper = class { description = { ${text('keeper', 'transform', ['main'])} };
	async execute() {
		const [{ json }] = this.getInputData();
		await fetch(process.env.PROBE_URL + '/hold/' + json.count);
		this.getWorkflowStaticData('node').kept = true;
		throw new Error('It failed');
	} };`;

describe('the n8n of the tests', () => {
	let folder: string;
	let n8n: TestN8n;
	let wire: Wire;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'probe-package-'));
		await mkdir(join(folder, 'dist'));
		const sources = { ToldTrigger: toldTrigger, Keeper: keeper };
		const nodes = Object.keys(sources).map((name) => `dist/${name}.node.js`);
		const manifest = {
			name: 'n8n-nodes-probe',
			version: '1.0.0',
			files: ['dist'],
			n8n: { n8nNodesApiVersion: 1, nodes },
		};
		await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
		for (const [name, source] of Object.entries(sources))
			await writeFile(join(folder, 'dist', `${name}.node.js`), source);
		wire = await startWire();
		n8n = await startN8n({ packages: [folder], env: { PROBE_URL: wire.url } });
	});
	afterAll(async () => {
		await n8n.stop();
		await wire.close();
		await rm(folder, { recursive: true, force: true });
	});

	it('the n8n of the tests stores static data whole, so that a failed execution sets a trigger back', async () => {
		const pending = new Map<number, () => void>();
		const hold =
			(count: number): Answer =>
			(_, response) =>
				void pending.set(count, () => response.end());
		wire.on('GET /tick', { status: 404 }).on('GET /hold/1', hold(1)).on('GET /hold/2', hold(2));
		const { id } = await n8n.saveWorkflow({
			name: 'Kept',
			nodes: [
				{ name: 'Told', type: 'n8n-nodes-probe.toldTrigger' },
				{ name: 'Keep', type: 'n8n-nodes-probe.keeper' },
			],
			connections: { Told: { main: [[{ node: 'Keep', type: 'main', index: 0 }]] } },
		});
		await n8n.publish(id);
		const stored = (): Record<string, Record<string, unknown>> => {
			const database = new DatabaseSync(join(n8n.userFolder, '.n8n', 'database.sqlite'), {
				readOnly: true,
				timeout: 10_000,
			});
			const row = database.prepare('SELECT staticData FROM workflow_entity WHERE id = ?').get(id);
			database.close();
			return JSON.parse(String(row!['staticData'])) as Record<string, Record<string, unknown>>;
		};
		const tick = async (count: number): Promise<void> => {
			wire.on('GET /tick', {}, { status: 404 });
			await until(() => pending.has(count), { what: `execution ${count} to wait` });
		};
		const becomes = async (what: string, holds: (data: ReturnType<typeof stored>) => boolean): Promise<void> =>
			void (await until(() => holds(stored()), { what, seen: stored }));
		for (const count of [1, 2]) await tick(count);
		await becomes('the position of the trigger to be kept', (data) => data['node:Told']?.['count'] === 2);
		pending.get(1)!();
		// The execution fails, and n8n writes back the static data it read at the start, including the older position.
		await becomes('what the execution kept', (data) => data['node:Keep']?.['kept'] === true);
		expect(stored()['node:Told']?.['count']).not.toBe(2);
		pending.forEach((release) => release());
		await n8n.unpublish(id);
	});
});
