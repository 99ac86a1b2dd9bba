/** Imports every other n8n example into a complete n8n and runs it; jobs.ts does the whole jobs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExecution } from '../../../scripts/hosts/executions';
import { startChatModel } from '../../support/chat-model';
import { until } from '../../support/condition';
import { makeFill } from '../../support/fills';
import { jobs } from '../../support/jobs';
import type { Execution } from '../../support/n8n';
import { isOrder } from './bench';
import { openCommonBench } from './common-bench';
import { forAll } from '../../support/opened';

const folder = join(__dirname, '..', '..', '..', 'examples', 'n8n');
interface Example {
	nodes: { name: string; type: string; typeVersion: number }[];
	connections: Record<string, unknown>;
}
const read = (file: string): Example => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;
/** An agent's replies come from a remote model, which the test of that example replaces by a stand-in. */
const elsewhere = [...jobs, 'agent-approval', 'statement-page'].map((name) => `${name}.json`);
const files = readdirSync(folder).filter((name) => name.endsWith('.json') && !elsewhere.includes(name));
const triggerOf = ({ nodes }: Example) => nodes.find(({ type }) => /trigger$/i.test(type))!.name;

jest.setTimeout(600_000);

describe('the examples, in a complete n8n', () => {
	const bench = forAll(() => openCommonBench({ marketMaker: true }));
	beforeAll(async () => await makeFill(bench.sandbox()));

	/** Imports the file, selects the credential and presses the button, as a person would. */
	const runs = async (file: string): Promise<Execution> => {
		const example = read(file);
		const id = await bench.save(file, example.nodes, example.connections);
		const run = await bench.n8n.runManually(id, triggerOf(example));
		expect([run.status, run.data.resultData.error?.message]).toEqual(['success', undefined]);
		return run;
	};

	it.each(files)('the example %s runs in a complete n8n', async (file) => {
		await runs(file);
	});

	it('the statement as a page says what was traded in a form that mails well', async () => {
		const run = await runs('statement-page.json');
		const { subject, html } = run.itemsOf('Mail')[0]!.json as { subject: string; html: string };
		const { day } = run.itemsOf('The Day')[0]!.json as { day: string };
		expect(subject).toBe(`Statement of ${day}`);
		// In the first hour of a day the statement is of the day before, which traded nothing.
		for (const { json } of run.itemsOf('Sums').filter(({ json: sum }) => sum['count'] !== undefined))
			for (const name of ['quantity', 'total']) expect(html).toContain(`>${String(json[name])}<`);
		const fills = run.itemsOf('Fills').filter(({ json }) => json['id'] !== undefined);
		expect(html.match(/<tr><td style="[^"]*">\d{4}-\d\d-\d\dT/g) ?? []).toHaveLength(fills.length);
		for (const { json } of run.itemsOf('Balances')) expect(html).toContain(`>${String(json['available'])}<`);
		// Mail programs drop style sheets and scripts, and cut what is longer than 102 kB.
		expect(html).not.toMatch(/<(script|link|style|img)|class=|https?:|\{\{|undefined|\[object/);
		expect(html.length).toBeLessThan(102_000);
	});

	it('the example of an agent with a person in between is imported whole, with its tools', async () => {
		const { nodes, connections } = read('agent-approval.json');
		const id = await bench.save('Agent', nodes, connections);
		const saved = await bench.n8n.api<Example>('GET', `/rest/workflows/${id}`);
		const ours = saved.nodes.filter(({ type }) => type.startsWith('n8n-nodes-partner-exchange.'));
		expect(ours.map(({ type }) => type.split('.')[1]).sort()).toEqual([
			'partnerExchange',
			...Array<string>(4).fill('partnerExchangeTool'),
		]);
		// n8n makes each tool of a node when it is used, as the agent below does.
		const nodeInfos = nodes
			.filter(({ type }) => !type.endsWith('Tool'))
			.map(({ type, typeVersion }) => ({ name: type, version: typeVersion }));
		const known = await bench.n8n.api<{ name: string }[]>('POST', '/rest/node-types', { nodeInfos });
		expect(known.map(({ name }) => name)).toEqual(nodeInfos.map(({ name }) => name.split('.').at(-1)));
	});

	describe('the agent that proposes', () => {
		const model = forAll(() => startChatModel());
		let id: string;
		beforeAll(async () => {
			const data = { apiKey: 'model-key', url: model.url };
			const credential = await bench.n8n.saveCredential({ name: 'Model', type: 'openAiApi', data });
			const { nodes, connections } = read('agent-approval.json');
			const withModel = nodes.map((node) =>
				node.name === 'Chat Model' ? { ...node, credentials: { openAiApi: credential } } : node,
			);
			id = await bench.save('Agent with a model', withModel, connections);
		});

		const proposal = { side: 'buy', quantity: '2.00', price: '1400.00' };
		const placed = () => bench.sandbox().requests.filter(isOrder);
		const status = async (execution: string): Promise<string> =>
			(await bench.n8n.api<{ status: string }>('GET', `/rest/executions/${execution}`)).status;

		/** Sends a request in n8n's chat, and waits until approval is requested. */
		async function wish(): Promise<string> {
			model.say(
				[
					{ tool: 'Read_the_Ticker', args: {} },
					{ tool: 'Read_the_Balances', args: {} },
					{ tool: 'Estimate_the_Order', args: { side: 'buy', quote_amount: '3000.00' } },
				],
				[{ tool: 'Try_the_Order_Out', args: { ...proposal, price: '1400.001' } }],
				[{ tool: 'Try_the_Order_Out', args: proposal }],
				[{ tool: 'format_final_json_response', args: { output: { ...proposal, reason: 'It is cheap.' } } }],
			);
			const items = [{ json: { chatInput: 'Buy 2 USD cheaply', sessionId: 'a session', action: 'sendMessage' } }];
			const said = { startTime: 0, executionTime: 0, executionIndex: 0, executionStatus: 'success', source: [] };
			const { executionId } = await bench.n8n.api<{ executionId: string }>('POST', `/rest/workflows/${id}/run`, {
				workflowData: await bench.n8n.api('GET', `/rest/workflows/${id}`),
				triggerToStartFrom: { name: 'Wish Arrives', data: { ...said, data: { main: [items] } } },
			});
			await until(async () => (await status(executionId)) === 'waiting', { what: 'a person to be asked' });
			expect(model.told().join()).toMatch(/"worst_price":"\d.*nearest valid values.*dry_run/s);
			return executionId;
		}

		/** Submits the form n8n shows, and waits for the execution to end. */
		async function decide(execution: string, decision: string): Promise<Execution> {
			const { data } = await readExecution(bench.n8n.api, execution);
			const form = new FormData();
			form.set('field-0', decision);
			const address = `${bench.n8n.url()}/form-waiting/${execution}?signature=${data.resumeToken}`;
			const answer = await fetch(address, { method: 'POST', body: form });
			expect(answer.status).toBe(200);
			await until(async () => (await status(execution)) === 'success', { what: 'the workflow to end' });
			return await readExecution(bench.n8n.api, execution);
		}

		it('the example of an agent that proposes places what a person approved, once', async () => {
			const before = placed().length;
			const execution = await wish();
			expect(placed()).toHaveLength(before);
			const ended = await decide(execution, 'Yes, place it');
			expect(ended.status).toBe('success');
			expect(placed()).toHaveLength(before + 1);
			expect(ended.itemsOf('Placed')[0]!.json).toMatchObject({ ...proposal, business_key: `approved ${execution}` });
		});

		it('the example of an agent that proposes places nothing that a person declined', async () => {
			const before = placed().length;
			const ended = await decide(await wish(), 'No');
			expect(Object.keys(ended.data.resultData.runData)).toContain('Not Placed');
			expect(placed()).toHaveLength(before);
		});
	});
});
