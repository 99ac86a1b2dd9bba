import { SANDBOX_KEY } from '../../../scripts/hosts/sandbox';
import { byHand, type Bench } from './bench';
import { openCommonBench } from './common-bench';

const ACTION = 'n8n-nodes-partner-exchange.partnerExchange';
const buying = {
	resource: 'order',
	operation: 'create',
	pair_id: { __rl: true, mode: 'list', value: 'USD/NGN' },
	side: 'buy',
	order_type: 'market',
	quantity: '1.00',
};

describe('our nodes in a complete n8n', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openCommonBench({ marketMaker: true });
	});
	afterAll(async () => await bench?.close());

	it('a complete n8n accepts a good key when a credential is saved, and refuses a wrong one in a clear sentence', async () => {
		const { baseUrl, wsUrl } = bench.sandbox();
		const test = async (name: string, apiKey: string): Promise<{ status: string; message: string }> => {
			const data = { environment: 'sandbox', apiKey, baseUrl, wsUrl };
			return await bench.n8n.testCredential({ name, type: 'partnerExchangeApi', data });
		};
		expect(await test('Good', SANDBOX_KEY)).toMatchObject({ status: 'OK' });
		const wrong = await test('Wrong', 'no-such-key');
		expect(wrong.status).toBe('Error');
		expect(wrong.message).not.toContain('no-such-key');
	});

	it('a complete n8n places an order and reads it back, keeping the key out of what it stores', async () => {
		const id = await bench.save('Buy', [
			byHand,
			{ name: 'Buy', type: ACTION, parameters: buying },
			{
				name: 'Read',
				type: ACTION,
				parameters: { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' },
			},
			{ name: 'Balances', type: ACTION, parameters: { resource: 'wallet', operation: 'getBalances' } },
		]);
		const execution = await bench.n8n.runManually(id, 'Go');
		expect(execution.status).toBe('success');
		const [bought] = execution.itemsOf('Buy');
		expect(execution.itemsOf('Read')[0]!.json).toMatchObject({
			id: bought!.json['order_id'],
			side: 'buy',
			quantity: '1.00',
		});
		expect(execution.itemsOf('Balances')[0]!.json).toHaveProperty('available');
		expect(execution.stored).not.toContain(SANDBOX_KEY);
		expect(bench.n8n.log()).not.toContain(SANDBOX_KEY);
	});

	it('a complete n8n shows a refused order as an error of the node, naming what to change', async () => {
		const parameters = { ...buying, quantity: '1e3' };
		const id = await bench.save('Refused', [byHand, { name: 'Buy', type: ACTION, parameters }]);
		const execution = await bench.n8n.runManually(id, 'Go');
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error?.message).toMatch(/quantity/i);
	});
});
