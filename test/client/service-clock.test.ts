import { createClient, type Clock } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { errorOf, resting } from '../support/placing';
import { failure, quickClock, success, useWire } from '../support/wire';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';
const MARKETS = 'GET /partner/exchange/markets';
const HOUR_MS = 3_600_000;
const options = { check_market: false };

const dated = (at: number): Record<string, string> => ({ date: new Date(at).toUTCString() });

describe("the service's clock", () => {
	const { wire } = useWire();

	const clientOn = (clock: Clock) => createClient(wire.account, { ...nodePorts(), clock, random: () => 0.5 });

	it('finds the first order of a process on a machine that slept while the answer was on its way', async () => {
		const awake = quickClock();
		let sleptMs = 0;
		// A monotonic clock does not count the time that the machine sleeps.
		const clock: Clock = { ...awake, now: () => awake.now() + sleptMs };
		const created_at = new Date(clock.now()).toISOString();
		wire.on(CREATE, (request) => {
			sleptMs = HOUR_MS;
			request.socket.destroy();
		});
		wire.on(LIST, (_, response) => {
			const { client_order_id } = JSON.parse(wire.calls(CREATE)[0]!.body) as { client_order_id: string };
			const orders = [{ ...resting, id: 'order-1', client_order_id, status: 'accepted', created_at }];
			response.writeHead(200, dated(clock.now()));
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		expect(await clientOn(clock).order.create(resting, { options })).toMatchObject({ order_id: 'order-1' });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('does not read the time from an answer that a cache stored', async () => {
		const clock = quickClock();
		const stored = { ...dated(clock.now() - HOUR_MS), age: '3600' };
		wire.on(MARKETS, { ...success({ markets: [] }), headers: stored });
		wire.on(CREATE, failure(503, {}, dated(clock.now())));
		wire.on(LIST, failure(503, {}));
		const client = clientOn(clock);
		await client.market.list({});
		const { details } = await errorOf(client.order.create(resting, { options }));
		// Another process that asks too early would take an order on its way for one that was never placed.
		expect(Date.parse(String(details.not_before))).toBeGreaterThan(clock.now());
	});

	it('does not read the time from the failure of a gateway, which has a clock of its own', async () => {
		const clock = quickClock();
		wire.on(MARKETS, { ...success({ markets: [] }), headers: dated(clock.now()) });
		wire.on(CREATE, failure(504, {}, dated(clock.now() - HOUR_MS)));
		wire.on(LIST, failure(502, {}, dated(clock.now() - HOUR_MS)));
		const client = clientOn(clock);
		await client.market.list({});
		const { details } = await errorOf(client.order.create(resting, { options }));
		// Resolve Order, in another process, would deny an order that is still on its way.
		expect(Date.parse(String(details.not_before))).toBeGreaterThan(clock.now());
	});

	it('does not read the time from the page of a network before the service', async () => {
		const clock = quickClock();
		wire.on(MARKETS, { body: '<!DOCTYPE html><h1>Log in</h1>', headers: dated(0) });
		wire.on(LIST, { ...success({ count: 0, orders: [] }), headers: dated(clock.now()) });
		const client = clientOn(clock);
		await expect(client.market.list()).rejects.toMatchObject({ code: 'malformed_response' });
		const created_after = new Date(clock.now() - HOUR_MS).toISOString();
		// A clock that is behind would refuse the last hour as one that is to come.
		await expect(client.items('order.list', {}, { options: { created_after } }).next()).resolves.toEqual({
			done: true,
			value: undefined,
		});
	});
});
