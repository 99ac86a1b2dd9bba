import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { answer, limitOrder, pick } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ marketMaker: true, seed: 7 });
});
afterAll(async () => await sandbox.close());

describe('Estimate Order in n8n', () => {
	it('wires into Create Order: what an amount buys is placed as it was estimated', async () => {
		const said = await answer(sandbox, {
			...{ resource: 'order', operation: 'estimate', pair_id: pick('USD/NGN'), side: 'buy', order_type: 'market' },
			quote_amount: '15000.00',
			options: { compare_balance: true },
		});
		expect(said).toMatchObject({ affordable: true, problems: [] });
		const wired = {
			...{ pair_id: pick(String(said['pair_id']), 'id'), side: said['side'], order_type: said['order_type'] },
			quantity: said['quantity'],
		};
		const placed = await answer(sandbox, { ...limitOrder, ...wired, options: { wait: 'final' } });
		expect(placed).toMatchObject({ status: 'filled', filled_quantity: Number(said['fillable_quantity']).toFixed(2) });
	});
});
