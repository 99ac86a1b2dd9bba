import { until } from '../support/condition';
import { account, call, node, payloadOf, tab } from './flows';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' };

describe('the limits of an account', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const orders = () => [...bench.sandbox.engine.state.orders.values()];
	const deploy = async (settings: Record<string, unknown> = {}) => {
		bench.nodeRed.forget();
		await bench.nodeRed.deploy(
			[
				tab,
				account(bench.sandbox, settings),
				...node('create', 'create-order', { ...order, unknown_after_seconds: '1', check_market: false }),
				...node('cancel', 'cancel-order', { pair_id: 'USD/NGN' }),
			],
			'full',
		);
	};
	const refused = async (code: string, message: string): Promise<void> => {
		const before = orders().length;
		expect((await call(bench.nodeRed, 'create')).error).toMatchObject({
			code,
			message: expect.stringContaining(message),
		});
		expect(orders()).toHaveLength(before);
	};
	beforeEach(() => bench.sandbox.faults.disarm());

	it('stops a runaway loop at the limit of the account, and goes on counting over a deploy', async () => {
		await deploy({ ordersPerDay: '2' });
		for (let times = 0; times < 2; times += 1) payloadOf(await call(bench.nodeRed, 'create'));
		await refused('limit_reached', '2 orders');
		await deploy({ ordersPerDay: '2' });
		await refused('limit_reached', '2 orders');
		await deploy({ ordersPerDay: 'none' });
		payloadOf(await call(bench.nodeRed, 'create'));
	});

	it('counts what other programs placed under the limit of the account', async () => {
		const placed = String(orders().length);
		await deploy({ ordersPerDay: placed });
		await refused('limit_reached', `has placed ${placed}`);
	});

	it('stops everything but a cancel at the stop switch, and the nodes show it', async () => {
		await deploy();
		const { order_id } = payloadOf(await call(bench.nodeRed, 'create'));
		await deploy({ stopAllOrders: true });
		await bench.nodeRed.waitForStatus('create', /orders stopped/);
		await refused('not_available', 'Stop All Orders');
		expect(bench.nodeRed.statuses.findLast(({ node: id }) => id === 'create')?.text).toMatch(/orders stopped/);
		payloadOf(await call(bench.nodeRed, 'cancel', { payload: { order_id } }));
		await bench.nodeRed.waitForStatus('cancel', /orders stopped/);
		await deploy({ stopAllOrders: false });
		payloadOf(await call(bench.nodeRed, 'create'));
		await bench.nodeRed.waitForStatus('create', /^accepted$|^pending$/);
	});

	it('reports what became of an unknown order after its message went on', async () => {
		await deploy();
		const before = orders().length;
		bench.sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		bench.sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const { wires } = await call(bench.nodeRed, 'create');
		expect(wires.map(({ port }) => port)).toEqual([1]);
		bench.sandbox.faults.disarm();
		await bench.nodeRed.waitForStatus('account-one', /order resolved · accepted/);
		await bench.nodeRed.waitForStatus('create', /order resolved · accepted/);
		const said = await until(() => /Done \(order (\S+)\): an order write/.exec(bench.nodeRed.log()), {
			...{ what: 'a line in the log', seen: () => bench.nodeRed.log() },
		});
		expect(said[1]).toBe(orders().at(-1)!.id);
		expect(orders()).toHaveLength(before + 1);
	});
});
