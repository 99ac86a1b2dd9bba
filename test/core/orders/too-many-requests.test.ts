import { createClient, type Client } from '@partner-exchange/core';
import { createRateLimiters } from '@partner-exchange/core/testing';
import { nodePorts } from '@partner-exchange/core/node';
import { errorOf } from '../../support/placing';
import { failure, quickClock, startWire, success } from '../../support/wire';
import { forEach } from '../../support/opened';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' } as const;

describe('an order while the service asks to wait for ten minutes', () => {
	const wire = forEach(() => startWire());
	let client: Client;

	beforeEach(async () => {
		const ports = { ...nodePorts(), clock: quickClock() };
		const pace = createRateLimiters(ports.clock)(wire.account);
		client = createClient(wire.account, { ...ports, send: pace.send(ports.send, 'first') });
		wire.on('GET /partner/exchange/markets', success({ markets: [] }));
		wire.on(CREATE, failure(429, {}, { 'retry-after': '600' }));
		wire.on(LIST, success({ count: 0, orders: [] }));
	});

	it('is told at once as not placed, and for how long to wait', async () => {
		const error = await errorOf(client.order.create(order));
		expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 600_000 });
		expect(error.message).toMatch(/Wait 600 s before trying again, as the service asks; no order was placed\.$/);
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('is not told as sent where it was held back behind another one', async () => {
		await errorOf(client.order.create(order));
		const error = await errorOf(client.order.create({ ...order, quantity: '20.00' }));
		expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) });
		expect(error.message).toMatch(/no order was placed\.$/);
		expect(error.message).not.toContain('it was sent');
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('stays unknown where an earlier try may have been done', async () => {
		wire.on(CREATE, failure(502, {}), failure(429, {}, { 'retry-after': '600' }));
		const unsure = client.order.create(order, { options: { unknown_after_seconds: 1 } });
		expect(await errorOf(unsure)).toMatchObject({ code: 'outcome_unknown' });
	});
});
