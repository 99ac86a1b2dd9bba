import { account, call, node, payloadOf, tab } from './flows';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

describe('an order in Node-RED whose form says nothing of waiting', () => {
	const bench = forAll(() => openCommonBench());
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' };
	const statusOf = (id: string) => bench.nodeRed.statuses.filter(({ node }) => node === id).at(-1);

	beforeAll(async () => {
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('placed', 'create-order', order),
			...node('too-large', 'create-order', { ...order, quantity: '900000.00' }),
			...node('at-once', 'create-order', { ...order, quantity: '900000.00', wait: 'none' }),
		]);
	});

	it('is told as the service took it, and as an error where the service rejected it', async () => {
		expect(payloadOf(await call(bench.nodeRed, 'placed'))).toMatchObject({ status: 'accepted' });
		const { error, wires } = await call(bench.nodeRed, 'too-large');
		expect([error?.code, wires]).toEqual(['rejected', []]);
		expect(statusOf('too-large')).toMatchObject({ fill: 'red' });
	});

	it('is pending in grey where nobody waits for the service to take it', async () => {
		expect(payloadOf(await call(bench.nodeRed, 'at-once'))).toMatchObject({ status: 'pending' });
		expect(statusOf('at-once')).toMatchObject({ fill: 'grey', text: 'pending' });
	});
});
