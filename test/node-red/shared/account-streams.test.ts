import { createAccountLimits, createClient, type Item } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { connect, ports, shareStream } from '../../../packages/node-red/src/account/streams';
import { until } from '../../support/condition';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

describe('what the nodes of one account share', () => {
	it('shares one stream and its count of orders where the key was pasted with a space', async () => {
		const account = { environment: 'sandbox', baseUrl: sandbox.baseUrl, wsUrl: sandbox.wsUrl } as const;
		const counted: Item[] = [];
		const limits = { ...createAccountLimits(ports.clock), orderShown: (order: Item) => void counted.push(order) };
		const opened = connect({ ...account, apiKey: ' sandbox-key ' }, { limits });
		const shared = shareStream(opened.client.account);
		const listening = shared.stream.subscribe({ topics: ['user.orders'], deliver: async () => undefined });
		await listening.ready;
		const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1000.00' } as const;
		await createClient({ ...account, apiKey: 'sandbox-key' }, ports).order.create(order);
		await until(() => counted.length > 0, { what: 'the order to be counted' });
		await listening.close();
		// The stream closes at once instead of after half a minute.
		jest.spyOn(ports.clock, 'after').mockImplementation((_, run) => (run(), () => undefined));
		shared.release();
		opened.close();
	});
});
