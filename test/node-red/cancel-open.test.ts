import { account, call, node, openBench, payloadOf, tab, type Bench } from './flows';

describe('cancel open orders in Node-RED', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench();
		const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00' };
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			account(bench.sandbox, { id: 'account-stopped', stopped: true, stopReason: 'by hand' }),
			...node('create', 'create-order', order),
			...node('cancel', 'cancel-open-orders', {}, 1),
		]);
	});
	afterAll(async () => await bench.close());

	it('answers how each order ended', async () => {
		for (const price of ['1000.00', '999.00']) await call(bench.nodeRed, 'create', { payload: { price } });
		expect(payloadOf(await call(bench.nodeRed, 'cancel'))).toMatchObject({
			...{ still_open: 0, problem: null },
			orders: [{ outcome: 'cancelled' }, { outcome: 'cancelled' }],
		});
		expect([...bench.sandbox.engine.state.orders.values()].map(({ status }) => status)).toEqual(
			expect.not.arrayContaining(['accepted']),
		);
	});
});
