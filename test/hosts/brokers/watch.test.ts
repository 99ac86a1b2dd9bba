/** The example flows that tell when the stream is not well. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFolder } from '../../../scripts/hosts/broker';
import { account, node, openBench, CONNECTED } from '../../node-red/flows';
import type { FlowNode } from '../../support/node-red';
import { forAll } from '../../support/opened';

const readExample = (name: string): string => readFileSync(join(settingsFolder, name), 'utf8');

describe('the example that watches the stream', () => {
	const bench = forAll(() => openBench());

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
