import { createClient, ExchangeError, type OrderPorts, type SendHttp } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { quickClock } from '../../support/wire';
import { forEach } from '../../support/opened';

describe('a cache before the service that answers with another order', () => {
	const sandbox = forEach(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	let over: string;

	beforeEach(async () => {
		const market = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '1.00' } as const;
		over = String(
			(await quickClient(accountOf(sandbox)).order.create(market, { options: { wait: 'final' } })).order_id,
		);
	});

	/** Each single order is answered with the one that is over. */
	function mixedUp(host: OrderPorts = {}) {
		const ports = nodePorts();
		const send: SendHttp = (request) =>
			ports.send({ ...request, url: request.url.replace(/(GET )?\/orders\/[^/?]+$/, `/orders/${over}`) });
		return createClient(accountOf(sandbox), { ...ports, send, clock: quickClock(), random: () => 0.5 }, host);
	}

	it('an answer that shows another order proves no cancel', async () => {
		const { order_id } = await quickClient(accountOf(sandbox)).order.create(resting);
		const lost = new ExchangeError('outcome_unknown', { what: 'The acknowledgement was lost' });
		const client = mixedUp({ commands: () => ({ command: () => Promise.reject(lost) }) });
		const error = await errorOf(client.order.cancel({ pair_id: 'USD/NGN', order_id: String(order_id) }));
		expect(error).toMatchObject({ code: 'outcome_unknown' });
		expect(ordersIn(sandbox).find(({ id }) => id === order_id)?.status).toBe('accepted');
	});

	it('an answer that shows another order does not end the wait for this one', async () => {
		const options = { wait: 'final', wait_seconds: 5 } as const;
		const item = await mixedUp().order.create(resting, { options });
		expect(item).toMatchObject({ wait: { reached: false, ended: 'time_limit' } });
		expect(String((item.wait as { problem?: unknown }).problem)).toContain(`The answer is about order_id ${over}`);
		expect(item.status).toBe('pending');
	});
});
