import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { answer, limitOrder, pick } from './exchange';

/** Outcomes remembered in the process do not outlive the sandbox that has the orders. */
describe('a business key in n8n', () => {
	let sandbox: Sandbox;
	const settings = { orderDelayMs: 0 };
	const named = { ...limitOrder, options: { business_key: 'invoice-7' } };
	const orders = () => [...sandbox.engine.state.orders.keys()];

	beforeEach(async () => {
		sandbox = await startSandbox({ settings });
	});
	afterEach(async () => await sandbox.close());

	it('places a new order under a business key after a reset of the sandbox', async () => {
		const before = await answer(sandbox, named);
		expect(await answer(sandbox, named)).toMatchObject({ order_id: before['order_id'], repeated: true });
		sandbox.reset();
		const after = await answer(sandbox, named);
		expect(after).not.toHaveProperty('repeated');
		expect(orders()).toEqual([after['order_id']]);
	});

	it('places a new order under a business key after the sandbox was started anew', async () => {
		const before = await answer(sandbox, named);
		await sandbox.close();
		sandbox = await startSandbox({ settings, port: Number(new URL(sandbox.url).port) });
		const after = await answer(sandbox, { ...named, quantity: '11.00', pair_id: pick('USD/NGN') });
		expect(after).not.toHaveProperty('repeated');
		expect(orders()).toEqual([after['order_id']]);
		expect(orders()).not.toContain(before['order_id']);
	});
});
