/** How an order of unknown outcome is resolved when n8n is killed before any lookup. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../../support/condition';
import { ordersIn } from '../../support/placing';
import { buying, called, isOrder, type Bench } from './bench';
import { openCommonBench } from './common-bench';

jest.setTimeout(600_000);

interface Example {
	nodes: { name: string; type: string }[];
	connections: Record<string, unknown>;
}
const example = (file: string): Example =>
	JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'examples', 'n8n', `${file}.json`), 'utf8')) as Example;

describe('an order of unknown outcome, when n8n is killed and started again', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openCommonBench({ settings: { orderDelayMs: 5 } });
	});
	afterAll(async () => await bench?.close());

	const status = async (workflowId: string): Promise<string | undefined> => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await bench.n8n.api<{ results: { status: string }[] }>(
			'GET',
			`/rest/executions?filter=${filter}`,
		);
		return results[0]?.status;
	};
	const call = async (path: string): Promise<void> => {
		bench.sandbox().faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		bench.sandbox().faults.arm({ kind: 'forbidden', operation: 'order.list' });
		expect((await fetch(`${bench.n8n.url()}/webhook/${path}`)).status).toBe(200);
	};
	/** The six minutes pass while n8n is stopped. */
	const passTime = (): void => {
		const database = new DatabaseSync(join(bench.n8n.userFolder, '.n8n', 'database.sqlite'));
		const { changes } = database
			.prepare("UPDATE execution_entity SET waitTill = datetime('now') WHERE waitTill IS NOT NULL")
			.run();
		database.close();
		expect(changes).toBe(2);
	};

	it("an unknown order is resolved after a kill by its own workflow, and by another's error workflow", async () => {
		const settling = example('settle-unknown');
		const errorWorkflow = await bench.save('Settle', settling.nodes, settling.connections);
		await bench.n8n.publish(errorWorkflow);
		const outcomes = example('order-outcomes');
		const { 'When You Click': byClick, ...connections } = outcomes.connections;
		const own = await bench.save(
			'Own',
			[...outcomes.nodes.filter(({ type }) => type !== 'n8n-nodes-base.manualTrigger'), called('own')],
			{ ...connections, Called: byClick },
		);
		const other = await bench.save('Other', [called('other'), buying()], undefined, { errorWorkflow });
		await bench.n8n.publish(own);
		await bench.n8n.publish(other);
		await call('own');
		await until(async () => (await status(own)) === 'waiting', { what: 'the first to wait' });
		await call('other');
		await until(async () => (await status(errorWorkflow)) === 'waiting', { what: 'the second to wait' });
		await bench.n8n.kill();
		passTime();
		// A lookup may have joined one that was under way, and the next one is not to fail in its place.
		bench.sandbox().faults.disarm();
		await bench.n8n.restart();
		const matches = await Promise.all(
			[own, errorWorkflow].map(async (id) => (await bench.n8n.waitForExecutions(id, 1))[0]!.itemsOf('Find Out')),
		);
		expect(matches.flat().map(({ json }) => json)).toEqual(
			ordersIn(bench.sandbox()).map(({ clientOrderId }) =>
				expect.objectContaining({ outcome: 'accepted', client_order_id: clientOrderId }),
			),
		);
		expect(ordersIn(bench.sandbox())).toHaveLength(2);
		expect(bench.sandbox().requests.filter(isOrder)).toHaveLength(2);
	});
});
