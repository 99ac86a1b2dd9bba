import { until } from '../support/condition';
import { AUTHORITY, startProxiedExchange } from '../support/connect-proxy';
import { startNodeRed } from '../support/node-red';
import { account, call, CONNECTED, node, packageFolder, payloadOf, tab } from './flows';
import { forAll } from '../support/opened';

/** Where a proxy is the only way out, as the environment of the Node-RED process says. */
describe('Node-RED behind a proxy', () => {
	const exchange = forAll(() => startProxiedExchange());
	const nodeRed = forAll(() =>
		startNodeRed({
			packages: [packageFolder],
			env: { HTTPS_PROXY: exchange.proxy, NODE_EXTRA_CA_CERTS: AUTHORITY },
		}),
	);

	beforeAll(async () => {
		await nodeRed.deploy([
			tab,
			account(exchange, { environment: 'staging', testHosts: 'exchange.test' }),
			...node('create', 'create-order'),
			...node('cancel', 'cancel-order'),
			...node('listen', 'events', { topics: ['user.orders'] }, 1),
		]);
	});
	afterAll(async () => await nodeRed?.stop());

	it('gets the events of an order it placed, and cancels it', async () => {
		await nodeRed.waitForStatus('listen', CONNECTED);
		const fields = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1000' };
		const order = payloadOf<{ order_id: string }>(
			await call(nodeRed, 'create', { payload: { ...fields, time_in_force: 'GTC' } }),
		);
		const cancelling = { payload: { order_id: order.order_id, pair_id: 'USD/NGN' } };
		payloadOf(await call(nodeRed, 'cancel', cancelling));
		const cancelled = () =>
			nodeRed.messages.find(
				({ from, message }) =>
					from === 'listen' && (message['payload'] as { status?: string } | undefined)?.status === 'cancelled',
			);
		await until(cancelled, { what: 'the event of the cancelled order' });
		expect(new Set(exchange.tunnels)).toEqual(new Set(['exchange.test:443']));
	});
});
