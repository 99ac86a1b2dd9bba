import { account, call, node, payloadOf, tab, type Bench } from './flows';
import { openCommonBench } from './common-bench';

describe('estimate order in Node-RED', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openCommonBench({ marketMaker: true });
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('estimate', 'estimate-order', { pair_id: 'USD/NGN', side: 'buy', order_type: 'market' }, 1),
			...node('create', 'create-order', { wait: 'final' }),
		]);
	});
	afterAll(async () => await bench.close());

	it('wires into create order: what an amount buys is placed as it was estimated', async () => {
		const said = payloadOf(await call(bench.nodeRed, 'estimate', { payload: { quote_amount: '15000.00' } }));
		expect(said).toMatchObject({ problems: [], side: 'buy' });
		const placed = payloadOf(await call(bench.nodeRed, 'create', { payload: said }));
		const { quantity } = said as { quantity: string };
		expect(placed).toMatchObject({ status: 'filled', filled_quantity: Number(quantity).toFixed(2) });
	});
});
