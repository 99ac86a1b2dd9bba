/** What happens to a fill whose workflow fails, in a complete n8n. */
import { until } from '../../support/condition';
import { fillsIn, makeFill } from '../../support/fills';
import type { Execution } from '../../support/n8n';
import { startWire, type Wire } from '../../support/wire';
import { listening, openBench, type Bench } from './bench';
import { recorder } from './recorder';

const WAIT_MS = 120_000;

jest.setTimeout(600_000);

describe('a fill for which the workflow fails', () => {
	let bench: Bench;
	let wire: Wire;

	beforeAll(async () => {
		wire = await startWire();
		bench = await openBench({ settings: { orderDelayMs: 0 } });
	});
	afterAll(async () => {
		await bench?.close();
		await wire.close();
	});

	const fill = async (): Promise<void> => await makeFill(bench.sandbox());
	const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
		await until(condition, { timeoutMs: WAIT_MS, everyMs: 200, what, seen: () => bench.n8n.log().slice(-1500) });
	/** A workflow that posts each fill to a desk, with a separate path for failed ones. */
	const listen = async (options: Record<string, unknown>): Promise<string> => {
		const desk = {
			name: 'Desk',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: { url: `${wire.url}/desk` },
		};
		const nodes = [listening({ topics: ['user.fills'], options }), desk, { name: 'Failed', type: NO_OP }];
		const to = (node: string) => [{ node, type: 'main', index: 0 }];
		const id = await bench.save('Desk', nodes, { Fills: { main: [to('Desk'), to('Failed')] } });
		await bench.n8n.publish(id);
		return id;
	};

	/** n8n 1 starts an empty execution, too, when the trigger stores that it has caught up. */
	const ran = async (id: string): Promise<Execution[]> =>
		(await bench.n8n.waitForExecutions(id, 0)).filter(
			(run) => run.status === 'error' || ['Desk', 'Failed'].some((name) => run.itemsOf(name).length > 0),
		);

	it('sends a failed fill through the second output after the tries, and the next one the usual way', async () => {
		wire.on('GET /desk', { status: 503 }, { status: 503 }, { body: '{}' });
		const id = await listen({ tries: 2, pauseSeconds: 1, whenTriesFail: 'failedEvents' });
		await fill();
		await waitFor('two tries', () => wire.calls('GET /desk').length === 2);
		await waitFor('their executions', async () => (await ran(id)).length >= 3);
		const executions = await ran(id);
		const [failed] = executions.flatMap((run) => run.itemsOf('Failed'));
		const [owed] = await fillsIn(bench.sandbox());
		expect(failed!.json).toMatchObject({ data: { id: owed }, failure: { tries: 2, node: 'Desk' } });
		expect(executions.map(({ status }) => status).sort()).toEqual(['error', 'error', 'success']);
		await fill();
		await waitFor('the next one', () => wire.calls('GET /desk').length === 3);
		await bench.n8n.unpublish(id);
	});

	it('tries a failed fill until the workflow succeeds, while later ones wait', async () => {
		const before = wire.calls('GET /desk').length;
		const earlier = await fillsIn(bench.sandbox());
		wire.on('GET /desk', { status: 503 }, { status: 503 }, { body: '{}' });
		const id = await listen({ eventsPerExecution: 1, pauseSeconds: 1, whenTriesFail: 'stop' });
		const record = recorder(bench, id);
		await fill();
		await fill();
		await waitFor('both', () => wire.calls('GET /desk').length === before + 4);
		await waitFor('their executions', async () => (await record.processed()).length === 4);
		const all = await bench.n8n.waitForExecutions(id, 4);
		// n8n 1 starts an empty execution when the trigger stores that it has caught up.
		const runs = all.filter((run) => run.itemsOf('Fills').length > 0).sort((a, b) => Number(a.id) - Number(b.id));
		const rows = runs.map((run) => [(run.itemsOf('Fills')[0]!.json['data'] as { id: string }).id, run.status]);
		const fresh = (await fillsIn(bench.sandbox())).filter((each) => !earlier.includes(each));
		const first = rows[0]![0]!;
		const second = fresh.find((each) => each !== first);
		expect(rows).toEqual([
			[first, 'error'],
			[first, 'error'],
			[first, 'success'],
			[second, 'success'],
		]);
		await bench.n8n.unpublish(id);
	});
});

const NO_OP = 'n8n-nodes-base.noOp';
