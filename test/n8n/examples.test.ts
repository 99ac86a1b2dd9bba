import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, IDataObject, IExecuteFunctions, INode, INodeExecutionData, INodeType } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { until as eventually } from '../support/condition';
import { runWorkflow, type EngineRun, type NodeClass } from '../support/engine';
import { startTrigger } from '../support/engine-trigger';
import { jobs } from '../support/jobs';
import { answer, credentialFor, limitOrder } from './exchange';

const folder = join(__dirname, '..', '..', 'examples', 'n8n');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

const guides = join(__dirname, '..', '..', 'docs', 'guides');
const guide = readFileSync(join(guides, 'examples.md'), 'utf8');

interface Example {
	name: string;
	nodes: (INode & { parameters: IDataObject })[];
	connections: IConnections;
}
/** The distance between nodes of a row that leaves room for their names. */
const NAME_WIDTH = 180;
const read = (file: string): Example => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;

/** Stand-ins for n8n's own nodes, which are not part of its engine. */
const standIn = (name: string, execute: INodeType['execute']): NodeClass =>
	class implements INodeType {
		description = {
			...{ displayName: name, name, group: ['transform' as const], version: 1, description: name, defaults: { name } },
			...{
				inputs: ['main' as const],
				outputs: ['main' as const, 'main' as const],
				properties: [{ displayName: 'Assignments', name: 'assignments', type: 'json' as const, default: {} }],
			},
		};
		execute = execute;
	};

const noOp = standIn('noOp', async function (this: IExecuteFunctions) {
	return await Promise.resolve([this.getInputData()]);
});
const set = standIn('set', async function (this: IExecuteFunctions) {
	const assign = (_: INodeExecutionData, item: number): INodeExecutionData => {
		const { assignments } = this.getNodeParameter('assignments', item) as { assignments: IDataObject[] };
		return {
			json: Object.fromEntries(assignments.map(({ name, value }) => [name, value])) as IDataObject,
			pairedItem: { item },
		};
	};
	return await Promise.resolve([this.getInputData().map(assign)]);
});
const branch = standIn('if', async function (this: IExecuteFunctions) {
	const holds = ({ json }: INodeExecutionData) => (json['details'] as IDataObject)?.['code'] === 'outcome_unknown';
	const items = this.getInputData();
	return await Promise.resolve([items.filter(holds), items.filter((item) => !holds(item))]);
});
/** n8n's Wait node, which here waits for the deposit of the example. */
const wait = standIn('wait', async function (this: IExecuteFunctions) {
	// An unknown outcome may take six minutes to settle; the stand-in does not wait for it.
	if (this.getNode().name === 'Six Minutes') return [this.getInputData()];
	await ngnTotal('50050000.00');
	return [this.getInputData()];
});
const types: Record<string, NodeClass> = { partnerExchange: PartnerExchange, set, noOp, if: branch, wait };
const kindOf = ({ type }: INode): string => type.split('.')[1]!;

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ marketMaker: true });
});
afterEach(async () => await sandbox.close());

const ngn = async (): Promise<IDataObject> =>
	await answer(sandbox, { resource: 'wallet', operation: 'getBalances', options: { currency: 'NGN' } });
const until = async (condition: () => Promise<boolean>) => await eventually(condition, { what: String(condition) });
const ngnTotal = async (amount: string) => await until(async () => (await ngn())['total'] === amount);
let executions = 0;

/** All nodes after an example's trigger, given the trigger's output. */
async function runBehind(example: Example, items: IDataObject[]): Promise<EngineRun> {
	const trigger = example.nodes.find((node) => /trigger$/i.test(kindOf(node)))!;
	const nodes = example.nodes.filter((node) => types[kindOf(node)]);
	const connections: IConnections = { ...example.connections, Start: example.connections[trigger.name]! };
	delete connections[trigger.name];
	return await runWorkflow(
		nodes.map((node) => ({
			type: types[kindOf(node)]!,
			name: node.name,
			parameters: node.parameters,
			settings: { ...(node.onError ? { onError: node.onError } : {}) },
		})),
		{ ...credentialFor(sandbox), connections, items, executionId: `example-${(executions += 1)}` },
	);
}
const first = (run: EngineRun, node: string) => run.runsOf(node)[0]?.data?.['main']?.[0]?.[0]?.json;

/** The whole jobs and the agents run in a complete n8n: test/hosts/n8n/jobs.ts and examples.ts. */
describe('the examples for n8n', () => {
	it.each(files)('the example %s can be imported and holds no credential', (file) => {
		const text = readFileSync(join(folder, file), 'utf8');
		const { nodes, connections } = read(file);
		expect(text).not.toMatch(/sandbox-key|apiKey|http:\/\//);
		const names = nodes.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		for (const [from, { main = [] }] of Object.entries(connections))
			for (const name of [from, ...main.flatMap((wires) => wires ?? []).map(({ node }) => node)])
				expect(names).toContain(name);
	});

	it.each(files)('the example %s has notes that cover no node and no other note', (file) => {
		const { nodes } = read(file);
		const boxes = nodes.map(({ name, type, position: [left, top], parameters: { width, height } }) => {
			const [wide, high] = type.endsWith('stickyNote') ? [Number(width), Number(height)] : [100, 100];
			return { name, left, top, right: left + wide, bottom: top + high, isNote: type.endsWith('stickyNote') };
		});
		const overlaps = boxes
			.filter(({ isNote }) => isNote)
			.flatMap((note) =>
				boxes
					.filter((box) => box !== note && box.left < note.right && note.left < box.right)
					.filter((box) => box.top < note.bottom && note.top < box.bottom)
					.map((box) => `${note.name} covers ${box.name}`),
			);
		expect(overlaps).toEqual([]);
	});

	it.each(files)('the example %s leaves each node room for its name', (file) => {
		const nodes = read(file).nodes.filter(({ type }) => !type.endsWith('stickyNote'));
		const crowded = nodes.flatMap(({ name, position: [left, top] }) =>
			nodes
				.filter(({ position: [otherLeft, otherTop] }) => Math.abs(otherTop - top) < 80 && otherLeft > left)
				.filter(({ position: [otherLeft] }) => otherLeft - left < NAME_WIDTH)
				.map((other) => `${other.name} is too near to ${name}`),
		);
		expect(crowded).toEqual([]);
	});

	it.each(jobs)('the example %s stands in the guide with picture, readers and edits, as its note says', (job) => {
		const { nodes } = read(`${job}.json`);
		const [, section = ''] = guide.split(`](../../examples/n8n/${job}.json)`);
		const [report = ''] = section.split('\n### ');
		expect(report).toContain(`](../images/examples/${job}.png)`);
		expect(existsSync(join(guides, '..', 'images', 'examples', `${job}.png`))).toBe(true);
		expect(report).toMatch(/^\*\*For\*\* \S/m);
		const [note] = nodes.filter(({ type }) => type.endsWith('stickyNote'));
		expect(note!.parameters['content']).toMatch(/\n\nFor |\nFor [^]*\n\n\*\*Edit:\*\*/);
		const [, edited = ''] = /\n\*\*Edit\*\* ([^]+?)\n\n/.exec(report)?.map((text) => text.replaceAll('\n', ' ')) ?? [];
		const named = [...edited.matchAll(/_([^_]+)_/g)].map(([, name]) => name);
		expect(named.length).toBeGreaterThan(0);
		const words = [...nodes.map(({ name }) => name), 'Maximum Quantity', 'Error Workflow'];
		expect(words).toEqual(expect.arrayContaining(named));
		for (const name of named) expect(note!.parameters['content']).toContain(`**${name}**`);
	});

	/** The trigger's output for one fill of a buy. */
	async function fillFor(example: Example): Promise<IDataObject[]> {
		const trigger = await startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox),
			parameters: { output: 'simple', ...example.nodes.find(({ id }) => id === 'fills')!.parameters },
		});
		await answer(sandbox, { ...limitOrder, order_type: 'market', quantity: '20.00' });
		const items = await trigger.waitForItems(1);
		await trigger.close();
		return items;
	}

	it('the example fill-hedge sells a bought amount once, however often its fill is delivered', async () => {
		const example = read('fill-hedge.json');
		const items = await fillFor(example);
		const [once, twice] = [await runBehind(example, items), await runBehind(example, items)];
		expect(first(once, 'Hedged')!['order_id']).toEqual(expect.any(String));
		expect(first(twice, 'Hedged')).toMatchObject({ order_id: first(once, 'Hedged')!['order_id'], repeated: true });
	});

	it('the example deposit-walkthrough shows the balance before and after', async () => {
		const run = await runBehind(read('deposit-walkthrough.json'), [{}]);
		expect(run.error).toBeUndefined();
		expect(first(run, 'What Happened')).toEqual({ before: '50000000.00', after: '50050000.00' });
	});

	it('the example order-outcomes sends an accepted order one way and a refused or rejected one the other', async () => {
		const example = read('order-outcomes.json');
		const accepted = await runBehind(example, [{}]);
		expect(first(accepted, 'Accepted')).toMatchObject({ status: expect.stringMatching(/accepted|filled/) });
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.create' });
		const refused = await runBehind(example, [{}]);
		expect(refused.runsOf('Refused')).toHaveLength(1);
		expect(refused.runsOf('Find Out')).toEqual([]);
		const costly = { ...example, nodes: example.nodes.map((node) => structuredClone(node)) };
		Object.assign(costly.nodes.find(({ id }) => id === 'order')!.parameters, {
			quantity: '90000.00',
			price: '1450.00',
		});
		const rejected = await runBehind(costly, [{}]);
		expect(rejected.runsOf('Accepted')).toEqual([]);
		expect(first(rejected, 'Refused')).toMatchObject({ details: { code: 'rejected', status: 'rejected' } });
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list' });
		const unknown = await runBehind(example, [{}]);
		expect(first(unknown, 'Find Out')).toMatchObject({ outcome: 'accepted' });
	});
});
