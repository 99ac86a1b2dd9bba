/** Node-RED starts the nodes again that name a changed account, but none that name it by a variable. */
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, payloadOf, tab } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', price: '1400.00', quantity: '10' };
const byVariable = { account: '${ACCOUNT}', z: 'variable-tab' };

describe('an account that a node names by a variable', () => {
	const bench = forAll(() => openCommonBench({ marketMaker: false, settings: { orderDelayMs: 0 } }));
	const other = forAll(() => startSandbox({ seed: 8, marketMaker: false, settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(other));
	const variableTab = { ...tab, id: 'variable-tab', env: [{ name: 'ACCOUNT', value: 'account-one', type: 'str' }] };
	const deposited = { email: 'trader@sandbox.test', currency: 'NGN', amount: '6000.00' };
	const flows = (sandbox: Sandbox, name = ''): FlowNode[] => [
		tab,
		variableTab,
		account(sandbox, { name }),
		...node('order-node', 'create-order', { ...order, ...byVariable }),
		...node('cancel', 'cancel-order', { pair_id: 'USD/NGN', wait: 'final', ...byVariable }),
		...node('deposit', 'simulate-deposit', { operation: 'fiatDeposit', ...deposited, ...byVariable }, 1),
		...node('listening', 'events', { topics: ['user.fills'], ...byVariable }),
		...node('watching', 'alerts', { event: 'transaction', seconds: '1', ...byVariable }, 1),
	];
	const ordersOf = ({ engine }: Sandbox): number => engine.state.orders.size;
	const sentBy = (id: string): number =>
		bench.nodeRed.messages.filter(({ from, port }) => from === id && port === 0).length;
	const sends = async (id: string, count: number): Promise<void> =>
		void (await until(() => sentBy(id) === count, { what: `what "${id}" sends`, seen: () => sentBy(id) }));

	beforeAll(async () => {
		await bench.nodeRed.deploy(flows(bench.sandbox));
		await bench.nodeRed.waitForStatus('listening', CONNECTED);
		payloadOf(await call(bench.nodeRed, 'order-node'));
		expect([ordersOf(bench.sandbox), ordersOf(other)]).toEqual([1, 0]);
		bench.nodeRed.forget();
		await bench.nodeRed.deploy(flows(other), 'nodes');
	});

	it('places orders at the addresses of a changed account', async () => {
		payloadOf(await call(bench.nodeRed, 'order-node'));
		expect([ordersOf(bench.sandbox), ordersOf(other)]).toEqual([1, 1]);
	});

	it('listens at the addresses of a changed account', async () => {
		await bench.nodeRed.waitForStatus('listening', CONNECTED);
		trading.fills(2);
		await sends('listening', 2);
	});

	it('watches the wallet at the addresses of a changed account', async () => {
		await bench.nodeRed.waitForStatus('watching', /^watching/);
		const before = sentBy('watching');
		payloadOf(await call(bench.nodeRed, 'deposit'));
		await until(() => sentBy('watching') > before, { what: 'the deposit' });
	});

	it('goes on with an account that was only renamed: cancels an order over its stream, and tells no fill again', async () => {
		const { order_id } = payloadOf(await call(bench.nodeRed, 'order-node'));
		await bench.nodeRed.deploy(flows(other, 'renamed'), 'nodes');
		expect(payloadOf(await call(bench.nodeRed, 'cancel', { payload: { order_id } }))).toMatchObject({
			status: 'cancelled',
		});
		trading.fills(1);
		await sends('listening', 3);
	});
});
