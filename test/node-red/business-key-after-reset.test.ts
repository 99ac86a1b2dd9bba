import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { account, call, node, openBench, payloadOf, tab, type Bench } from './flows';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' };

/** Outcomes remembered in the process and in its journal do not outlive the sandbox that has the orders. */
describe('a business key in Node-RED', () => {
	let bench: Bench;
	let sandbox: Sandbox;
	const settings = { orderDelayMs: 0 };
	const orders = () => [...sandbox.engine.state.orders.keys()];
	const place = async (message: Record<string, unknown>) => payloadOf(await call(bench.nodeRed, 'create', message));

	beforeAll(async () => {
		bench = await openBench({ settings });
		sandbox = bench.sandbox;
		await bench.nodeRed.deploy([tab, account(sandbox), ...node('create', 'create-order', order)], 'full');
	});
	afterAll(async () => {
		if (sandbox !== bench.sandbox) await sandbox.close();
		await bench.close();
	});

	it('places a new order under a business key after a reset of the sandbox, and so does a message', async () => {
		for (const message of [{ intentKey: 'invoice-7' }, { _msgid: 'the-same-message' }]) {
			const before = await place(message);
			expect(await place(message)).toMatchObject({ order_id: before.order_id, repeated: true });
			sandbox.reset();
			const after = await place(message);
			expect(after).not.toHaveProperty('repeated');
			expect(orders()).toEqual([after.order_id]);
		}
	});

	it('places a new order under a business key after the sandbox was started anew', async () => {
		const before = await place({ intentKey: 'invoice-8' });
		await bench.sandbox.close();
		sandbox = await startSandbox({ settings, port: Number(new URL(sandbox.url).port) });
		const after = await place({ intentKey: 'invoice-8', payload: { quantity: '11.00' } });
		expect(after).not.toHaveProperty('repeated');
		expect(orders()).toEqual([after.order_id]);
		expect(orders()).not.toContain(before.order_id);
	});
});
