import { account, call, node, openBench, payloadOf, tab, type Bench } from './flows';

describe('what remains of an order in Node-RED', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench();
		const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' };
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('create', 'create-order', { ...order, wait: 'final', wait_seconds: '1' }),
			...node('orders', 'orders', {}, 1),
		]);
	});
	afterAll(async () => await bench.close());

	it('stands in every row of an order, and with advice where a wait ends by its time limit', async () => {
		const waited = payloadOf(await call(bench.nodeRed, 'create'));
		expect(waited).toMatchObject({ remaining_quantity: '10', advice: expect.stringContaining('never the whole') });
		expect(payloadOf(await call(bench.nodeRed, 'orders'))).toMatchObject([{ remaining_quantity: '10' }]);
	});
});
