import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { account, CONNECTED, node, openBench, tab, type Bench } from './flows';
import { tradingOn } from './trading';

/** The deploy waits for nodes to close, and no time limit is reached while a test runs. */
const NEVER_MS = 3_600_000;
const FILLS = 1_500;
/** The time the slow flow spends on one event. */
const WORK = 'const end = Date.now() + 1; while (Date.now() < end); return msg;';

describe('patience', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench(
			{ settings: { orderDelayMs: 0 }, requestsPerSecond: 10_000 },
			{ settings: { nodeCloseTimeout: NEVER_MS } },
		);
	});
	afterAll(async () => await bench.close());

	it('a deploy does not wait for a service that never answers', async () => {
		const flows: FlowNode[] = [tab, account(bench.sandbox), ...node('balances', 'balances', {}, 1)];
		await bench.nodeRed.deploy(flows);
		bench.sandbox.faults.arm({ kind: 'hang', operation: 'wallet.balances' });
		await bench.nodeRed.send('balances', {});
		await until(() => bench.sandbox.faults.fired.length > 0, { what: 'the request' });
		await bench.nodeRed.deploy(flows);
		expect(await bench.nodeRed.waitForCompletion('balances')).toMatchObject({ error: { code: 'aborted' } });
	});

	it('a flow slower than the events gets every one of them in its own time', async () => {
		const [listen] = node('listen', 'events', { topics: ['user.fills'] }, 0);
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			{ ...listen!, wires: [['work']] },
			{ id: 'work', type: 'function', z: tab.id, func: WORK, outputs: 1, wires: [['slow-end']] },
			{ id: 'slow-end', type: 'junction', z: tab.id, wires: [[]] },
		]);
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		const worked = () =>
			new Set(
				bench.nodeRed.messages
					.filter(({ from }) => from === 'work')
					.map(({ message }) => (message.payload as { id: string }).id),
			).size;
		const trading = tradingOn(bench.sandbox);
		for (let made = 0; made < FILLS; made += 500) trading.fills(500);
		await until(() => worked() === FILLS, { what: 'every fill', everyMs: 200, seen: worked });
	});
});
