/** Every example for n8n, imported into a complete n8n and run a first and a second time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Execution } from '../../support/n8n';
import { makeFill } from '../../support/fills';
import { openBench, type Bench } from './bench';

const folder = join(__dirname, '..', '..', '..', 'examples', 'n8n');
interface Example {
	nodes: { name: string; type: string }[];
	connections: Record<string, unknown>;
}
const read = (file: string): Example => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;
/** What the agent says comes from a model elsewhere, so what leads to it is not run. */
const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'agent-approval.json');
const triggerOf = ({ nodes }: Example) => nodes.find(({ type }) => /trigger$/i.test(type))!.name;

jest.setTimeout(600_000);

describe('the examples, in a complete n8n', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench({ marketMaker: true });
		await makeFill(bench.sandbox());
	});
	afterAll(async () => await bench?.close());

	/** What a person gets who imports the file, chooses the credential and presses the button. */
	const runTwice = async (file: string): Promise<Execution[]> => {
		const example = read(file);
		const id = await bench.save(file, example.nodes, example.connections);
		const once = await bench.n8n.runManually(id, triggerOf(example));
		const twice = await bench.n8n.runManually(id, triggerOf(example));
		return [once, twice];
	};
	const ends = (run: Execution) => Object.keys(run.data.resultData.runData);

	it.each(files)('%s runs, and runs again', async (file) => {
		const runs = await runTwice(file);
		const seen = runs.map(({ status, data }) => [status, data.resultData.error?.message]);
		expect(seen).toEqual([
			['success', undefined],
			['success', undefined],
		]);
		expect(ends(runs[1]!).sort()).toEqual(ends(runs[0]!).sort());
	});

	it('the rows of a sheet are placed once, although the sheet is run again', async () => {
		const placed = async () => (await runTwice('orders-from-sheet.json')).map((run) => run.itemsOf('Place the Order'));
		const [first, second] = await placed();
		expect(first).toHaveLength(2);
		expect(second!.map(({ json }) => json['order_id'])).toEqual(first!.map(({ json }) => json['order_id']));
		expect(second!.map(({ json }) => json['repeated'])).toEqual([true, true]);
	});

	it('the agent with a person in between is imported whole, with its tools', async () => {
		const { nodes, connections } = read('agent-approval.json');
		const id = await bench.save('Agent', nodes, connections);
		const saved = await bench.n8n.api<Example>('GET', `/rest/workflows/${id}`);
		const ours = saved.nodes.filter(({ type }) => type.startsWith('n8n-nodes-partner-exchange.'));
		expect(ours.map(({ type }) => type.split('.')[1]).sort()).toEqual([
			'partnerExchange',
			'partnerExchangeTool',
			'partnerExchangeTool',
			'partnerExchangeTool',
		]);
		const offered = await bench.n8n.api<{ name: string }[]>('GET', '/types/nodes.json');
		expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(nodes.map(({ type }) => type)));
	});
});
