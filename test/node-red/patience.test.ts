import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { account, node, openBench, tab, type Bench } from './flows';
import { tradingOn } from './trading';

const FILLS = 1_500;
/** What one event costs the slow flow. */
const WORK = 'const end = Date.now() + 1; while (Date.now() < end); return msg;';

describe('patience', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 }, requestsPerSecond: 10_000 });
	});
	afterAll(async () => await bench.close());

	it('a deploy does not wait for a service that never answers', async () => {
		const flows: FlowNode[] = [tab, account(bench.sandbox), ...node('balances', 'balances', {}, 1)];
		await bench.nodeRed.deploy(flows);
		bench.sandbox.faults.arm({ kind: 'hang', operation: 'wallet.balances' });
		await bench.nodeRed.send('balances', {});
		await until(() => bench.sandbox.faults.fired.length > 0, { timeoutMs: 5_000, what: 'the request' });
		const startedAt = Date.now();
		await bench.nodeRed.deploy(flows);
		expect(Date.now() - startedAt).toBeLessThan(4_000);
		expect(await bench.nodeRed.waitForCompletion('balances')).toMatchObject({ error: { code: 'aborted' } });
		expect(bench.nodeRed.log()).not.toContain('Close timed out');
	});

	it('a flow slower than the events gets every one of them, in its own time', async () => {
		const [listen] = node('listen', 'events', { topics: ['user.fills'] }, 0);
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			{ ...listen!, wires: [['work']] },
			{ id: 'work', type: 'function', z: tab.id, func: WORK, outputs: 1, wires: [['slow-end']] },
			{ id: 'slow-end', type: 'junction', z: tab.id, wires: [[]] },
		]);
		await bench.nodeRed.waitForStatus('listen', /connected/);
		const worked = () =>
			new Set(
				bench.nodeRed.messages
					.filter(({ from }) => from === 'work')
					.map(({ message }) => (message.payload as { id: string }).id),
			).size;
		const trading = tradingOn(bench.sandbox);
		for (let made = 0; made < FILLS; made += 500) trading.fills(500);
		await until(() => worked() === FILLS, { timeoutMs: 25_000, what: 'every fill', everyMs: 200, seen: worked });
	});
});
