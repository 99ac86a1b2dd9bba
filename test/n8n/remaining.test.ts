import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { answer, limitOrder, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

describe('what remains of an order in n8n', () => {
	it('stands in every row of an order, and with advice where a wait ends by its time limit', async () => {
		const waited = await answer(sandbox, { ...limitOrder, options: { wait: 'final', wait_seconds: 1 } });
		expect(waited).toMatchObject({ remaining_quantity: '10', advice: expect.stringContaining('never the whole') });
		const { items } = await run(sandbox, { resource: 'order', operation: 'getAll', returnAll: true });
		expect(items.map(({ json }) => json['remaining_quantity'])).toEqual(['10']);
	});
});
