import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openCommonBench } from './common-bench';
import { account, CONNECTED, node, tab } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

/** More than may be under way at once. */
const FILLS = 300;

/** The time the slow flow spends on one event. */
const WORK = 'const end = Date.now() + 1; while (Date.now() < end); return msg;';

describe('patience', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));

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
		tradingOn(bench.sandbox).fills(FILLS);
		await until(() => worked() === FILLS, { what: 'every fill', seen: worked });
	});
});
