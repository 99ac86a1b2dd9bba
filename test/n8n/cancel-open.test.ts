import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { answer, limitOrder, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

describe('Cancel Open Orders in n8n', () => {
	const cancelAll = { resource: 'order', operation: 'cancelAll' };

	it('answers one item for each order with how it ended', async () => {
		await answer(sandbox, limitOrder);
		await answer(sandbox, { ...limitOrder, price: '999.00' });
		const { items } = await run(sandbox, cancelAll);
		expect(items.map(({ json }) => json)).toMatchObject([
			{ outcome: 'cancelled', filled_quantity: '0.00', remaining_quantity: '10.00', still_open: 0 },
			{ outcome: 'cancelled', still_open: 0 },
		]);
	});

	it('answers that nothing is open where there was nothing to cancel', async () => {
		const { items } = await run(sandbox, cancelAll);
		expect(items.map(({ json }) => json)).toEqual([expect.objectContaining({ still_open: 0 })]);
		expect(items[0]!.json).not.toHaveProperty('outcome');
	});
});
