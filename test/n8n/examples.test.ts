import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, IDataObject, IExecuteFunctions, INode, INodeExecutionData, INodeType } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { until as eventually } from '../support/condition';
import { runWorkflow, type EngineRun, type NodeClass } from '../support/engine';
import { pollOnce, startTrigger } from '../support/engine-trigger';
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
	const holds = ({ json }: INodeExecutionData) =>
		(json['details'] as IDataObject)?.['code'] === 'outcome_unknown' || json['Decision'] === 'Yes, place it';
	const items = this.getInputData();
	return await Promise.resolve([items.filter(holds), items.filter((item) => !holds(item))]);
});
let decided: string | undefined;
/** n8n's Wait node, which here waits for what the example needs: a deposit, or the response to a form. */
const wait = standIn('wait', async function (this: IExecuteFunctions) {
	if (this.getNode().name === 'Ask a Person')
		return [
			this.getInputData().map((_, item) => ({ json: decided ? { Decision: decided } : {}, pairedItem: { item } })),
		];
	// An unknown outcome may take six minutes to settle; the stand-in does not wait for it.
	if (this.getNode().name === 'Six Minutes') return [this.getInputData()];
	await ngnTotal('50050000.00');
	return [this.getInputData()];
});
const types: Record<string, NodeClass> = { partnerExchange: PartnerExchange, set, noOp, if: branch, wait };
const kindOf = ({ type }: INode): string => type.split('.')[1]!;

let sandbox: Sandbox;
/** The operations of the market maker. */
let ordersBefore: number;
beforeEach(async () => {
	sandbox = await startSandbox({ marketMaker: true });
	ordersBefore = sandbox.engine.state.orders.size;
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

const texts = (run: EngineRun, node: string) =>
	run.runsOf(node)[0]?.data?.['main']?.[0]?.map(({ json }) => json['text']);

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

	it('the example alert-on-fill reports a fill and trades nothing', async () => {
		const example = read('alert-on-fill.json');
		const run = await runBehind(example, await fillFor(example));
		expect(first(run, 'Tell the Desk')!['text']).toMatch(/^Bought \d+\.\d+ USD\/NGN at \d+/);
		expect(sandbox.engine.state.orders.size).toBe(ordersBefore + 1);
	});

	it('the example fill-hedge sells a bought amount once, however often its fill is delivered', async () => {
		const example = read('fill-hedge.json');
		const items = await fillFor(example);
		const [once, twice] = [await runBehind(example, items), await runBehind(example, items)];
		expect(first(once, 'Hedged')!['order_id']).toEqual(expect.any(String));
		expect(first(twice, 'Hedged')).toMatchObject({ order_id: first(once, 'Hedged')!['order_id'], repeated: true });
	});

	it('the example orders-from-rows places each row once, and reports the rows it could not place', async () => {
		const example = read('orders-from-rows.json');
		const rows = example.nodes.find(({ name }) => name === 'Rows')!.parameters['jsonOutput'] as string;
		const items = (JSON.parse(rows) as { rows: IDataObject[] }).rows;
		const sheet = { ...example, nodes: example.nodes.filter(({ name }) => !/Row/.test(name)) };
		sheet.connections = { ...example.connections, 'When You Click': example.connections['Each Row']! };
		const bad = { ...items[0], reference: 'row 3', quantity: 0.1 + 0.2 };
		const [once, twice] = [await runBehind(sheet, [...items, bad]), await runBehind(sheet, [...items, bad])];
		expect(texts(once, 'Placed')).toEqual([
			'row 1: buy 10.50 USD/NGN is accepted',
			'row 2: sell 20.00 USD/NGN is accepted',
		]);
		expect(texts(once, 'Not Placed')).toEqual([expect.stringContaining('row 3: Create Order: Quantity is the number')]);
		expect(texts(twice, 'Placed')).toHaveLength(2);
		expect(sandbox.engine.state.orders.size).toBe(ordersBefore + 2);
	});

	it.each([
		['Yes, place it', 1],
		['No', 0],
		[undefined, 0],
	])('the example agent-approval places nothing unless a person answers yes: %s', async (decision, placed) => {
		const example = read('agent-approval.json');
		const tools = example.nodes.filter(({ type }) => type.endsWith('Tool'));
		expect(
			tools.map(({ parameters: { operation, options } }) => [operation, (options as IDataObject)?.['dry_run']]),
		).toEqual([
			['getTicker', undefined],
			['getBalances', undefined],
			['estimate', undefined],
			['create', true],
		]);
		const proposal = { side: 'buy', quantity: '10.00', price: '1400.00', reason: 'It was asked for' };
		decided = decision;
		const behind = { ...example, connections: { ...example.connections } };
		behind.connections['Wish Arrives'] = example.connections['Trading Assistant']!;
		await runBehind(behind, [{ output: proposal }]);
		decided = undefined;
		expect(sandbox.engine.state.orders.size).toBe(ordersBefore + placed);
	});

	it('the example low-balance-top-up warns once the balance is low', async () => {
		const example = read('low-balance-top-up.json');
		const parameters = example.nodes.find(({ id }) => id === 'low')!.parameters;
		const look = async (nodeStaticData?: IDataObject) =>
			await pollOnce(PartnerExchangeAlertTrigger, { ...credentialFor(sandbox), parameters, nodeStaticData });
		const before = await look();
		await answer(sandbox, { ...limitOrder, price: '1000.00', quantity: '46000.00' });
		await until(async () => (await ngn())['available'] === '4000000.00');
		const { items } = await look(before.staticData);
		const run = await runBehind(example, items);
		expect(first(run, 'Warn Treasury')!['text']).toBe('NGN has 4000000.00 available, below 5000000.00');
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
