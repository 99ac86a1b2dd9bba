/** The example flows that tell when the stream is not well. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFolder } from '../../../scripts/hosts/broker';
import { startSandbox } from '@partner-exchange/sandbox';
import { account, node, openBench, CONNECTED, KEY, type Bench } from '../../node-red/flows';
import { until } from '../../support/condition';
import { startN8n, type WorkflowText } from '../../support/n8n';
import type { FlowNode } from '../../support/node-red';

const readExample = (name: string): string => readFileSync(join(settingsFolder, name), 'utf8');

describe('the example that watches the stream', () => {
	let bench: Bench;
	beforeAll(async () => (bench = await openBench()));
	afterAll(async () => await bench.close());

	it('the watching example stays quiet in Node-RED while the stream is live, and names its state once the service is away', async () => {
		const { nodeRed, sandbox } = bench;
		const example = JSON.parse(readExample('node-red-watch.json')) as FlowNode[];
		const own = example.filter(({ type }) => type !== 'partner-exchange-account');
		const idOf = (name: string): string => own.find((each) => each.name === name)!.id;
		await nodeRed.deploy([
			account(sandbox),
			...node('listening', 'events', { topics: ['user.fills'] }),
			...own.map((each) => ('account' in each ? { ...each, account: 'account-one' } : each)),
		]);
		await nodeRed.waitForStatus('listening', CONNECTED);
		await nodeRed.send(idOf('every five minutes'), {});
		await nodeRed.waitForCompletion(idOf('judge'));
		expect(nodeRed.messages.filter(({ to }) => to === idOf('tell'))).toEqual([]);
		await sandbox.close();
		await nodeRed.waitForStatus('listening', ({ text }) => !CONNECTED.test(text ?? ''));
		await nodeRed.send(idOf('every five minutes'), {});
		const { message } = await nodeRed.waitForMessage(({ to }) => to === idOf('tell'));
		expect(message.payload).toMatch(/^The exchange's stream: the connection is (waiting|connecting)/);
	});

	it('the watching example stays quiet in n8n while the stream is live, and names its state once the service is away', async () => {
		const sandbox = await startSandbox({ seed: 3 });
		const n8n = await startN8n({ packages: [join(settingsFolder, '..', '..')] });
		try {
			const { baseUrl, wsUrl } = sandbox;
			const data = { environment: 'sandbox', apiKey: KEY, baseUrl, wsUrl };
			const credentials = {
				partnerExchangeApi: await n8n.saveCredential({ name: 'Sandbox', type: 'partnerExchangeApi', data }),
			};
			const [listening, watching] = ['n8n-reader.json', 'n8n-watch.json'].map((name) => {
				const workflow = JSON.parse(readExample(name)) as WorkflowText;
				const own = workflow.nodes.filter(({ name: called }) => called !== 'Publish');
				const nodes = own.map((each) => ('credentials' in each ? { ...each, credentials } : each));
				return { ...workflow, nodes, connections: name === 'n8n-reader.json' ? {} : workflow.connections };
			});
			await n8n.publish((await n8n.saveWorkflow(listening!)).id);
			const { id } = await n8n.saveWorkflow(watching!);
			const said = async (): Promise<unknown> => {
				const { itemsOf } = await n8n.runManually(id, 'Every Five Minutes');
				return { judged: itemsOf('Judge')[0]?.json['text'], told: itemsOf('Tell')[0]?.json['text'] };
			};
			const says = async (words: RegExp): Promise<unknown> =>
				await until(async () => words.test(JSON.stringify(await said())), { what: `it to say ${words}`, seen: said });
			await says(/^{"judged":""}$/);
			await sandbox.close();
			await says(/"told":"The exchange's stream: the connection is (waiting|connecting)/);
		} finally {
			await n8n.stop();
			await sandbox.close();
		}
	});

	it('the watching example follows the same rule in n8n', () => {
		const [n8n, nodeRed] = ['n8n-watch.json', 'node-red-watch.json'].map((name) => {
			const nodes = [JSON.parse(readExample(name))].flatMap((text) => (text.nodes ?? text) as FlowNode[]);
			const judge = nodes.find((each) => /^judge$/i.test(String(each.name)))!;
			const code = String(judge.func ?? (judge.parameters as { jsonOutput: string }).jsonOutput);
			return code.slice(code.indexOf('const wrong'), code.lastIndexOf('}\n') + 1);
		});
		expect(n8n).toBe(nodeRed);
		expect(n8n).toContain('wrong.push');
	});
});
