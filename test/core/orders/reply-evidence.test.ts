import { createClient, ExchangeError, TransportError, createAccountMemory, type Item } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { orderPolicy } from '@partner-exchange/core/testing';
import { errorOf, quickClient, resting } from '../../support/placing';
import { drop, failure, quickClock, success, useWire, type Answer, type Wire } from '../../support/wire';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';
const MARKETS = 'GET /partner/exchange/markets';
/** Not the time of this machine. */
const DATED = Date.UTC(2031, 4, 5, 6, 7, 8);
const CREATED = '2026-01-31T00:00:00.000Z';

/** A list that holds the order of the last request, in the form the service under test returns it. */
function listWith(wire: Wire, show: (input: Item) => Item[]): Answer {
	return (_, response) => {
		const input = JSON.parse(wire.calls(CREATE).at(-1)!.body) as Item;
		const orders = show(input);
		response.end(JSON.stringify({ status: 'success', data: { count: orders.length, orders } }));
	};
}

describe('what the answers to an order prove', () => {
	const { wire } = useWire();
	beforeEach(() => wire.on(MARKETS, success({ markets: [] })).on(LIST, success({ count: 0, orders: [] })));

	const create = (input: Item = resting, context = {}) =>
		quickClient(wire.account).order.create(input as typeof resting, { intent: 'a', ...context });
	const bodies = () => wire.calls(CREATE).map(({ body }) => body);

	it.each(['accepted', 'PENDING'])('takes the status %s in the answer to an order as it is', async (status) => {
		wire.on(CREATE, success({ order_id: 'order-1', status, created_at: CREATED }));
		expect(await create()).toMatchObject({ order_id: 'order-1', status });
	});

	it.each(['rejected', 'cancelled', 'filled', 'expired', 'failed', '', ['filled'], { is: 'filled' }, 200, true])(
		'reads an order whose answer claims that it is %j, and leaves open what cannot be read',
		async (status) => {
			wire.on(CREATE, success({ order_id: 'order-1', status, created_at: CREATED, filled_quantity: '10.00' }));
			const answer = await create();
			expect(answer).toMatchObject({ order_id: 'order-1', status: null, acknowledgement: status });
			expect(answer).not.toHaveProperty('filled_quantity');
			wire.on(
				'GET /partner/exchange/orders/order-1',
				success({ order: { id: 'order-1', status: 'partially_filled' } }),
			);
			expect(await create(resting, { intent: 'b' })).toMatchObject({ status: 'partially_filled' });
		},
	);

	it.each([
		['rejected', { reject_reason: 'too little money' }],
		['cancelled', { reason: 'nothing to fill it with', cancel_reason: 'ioc' }],
		['rejected', { error_code: 'E51', failure: { message: 'too little money' } }],
	])('believes that an order is there whose answer says why it is %s', async (status, why) => {
		wire.on(CREATE, success({ order: { order_id: 'order-1', status, ...why } }));
		expect(await create()).toMatchObject({ order_id: 'order-1', status: null, acknowledgement: status });
	});

	it('leaves an order unknown whose answer shows it beside an error', async () => {
		const order = { order_id: 'order-1', status: 'pending', error: 'too little money' };
		wire.on(CREATE, success({ order }));
		await expect(create()).rejects.toMatchObject({ code: 'outcome_unknown', done: 'unknown' });
	});

	it('says where an order is unknown what the latest lookup met, so that a wrong address shows', async () => {
		wire.on(CREATE, failure(404, '<html>Not here</html>')).on(LIST, failure(404, '<html>Not here</html>'));
		const said = /no lookup could tell \(last: .*proxy in front of the service refused the request/;
		await expect(create()).rejects.toMatchObject({ code: 'outcome_unknown', message: expect.stringMatching(said) });
	});

	it('reads amounts that a service writes as numbers like those it writes as text', async () => {
		const order = { id: 'order-1', status: 'cancelled', quantity: 10, filled_quantity: 0 };
		wire.on(CREATE, success({ order_id: 'order-1', status: 'pending', quantity: 10 }));
		wire.on('GET /partner/exchange/orders/order-1', success({ order }));
		expect(await create(resting, { options: { wait: 'final' } })).toMatchObject({
			...{ quantity: '10', filled_quantity: '0', remaining_quantity: '10' },
			advice: expect.stringContaining('cancelled unfilled'),
		});
		const strict = create(resting, { intent: 'b', options: { wait: 'final', fail_when: 'unfilled' } });
		await expect(strict).rejects.toMatchObject({ code: 'unfilled' });
	});

	it('names an order by order_id, whether the list or the answer told of it', async () => {
		wire.on(CREATE, success({ id: 'order-1', status: 'pending', created_at: CREATED }));
		expect(await create()).toMatchObject({ order_id: 'order-1' });
		wire.on(CREATE, drop).on(
			LIST,
			listWith(wire, (input) => [{ ...input, id: 'order-2', status: 'accepted' }]),
		);
		expect(await create(resting, { intent: 'b' })).toMatchObject({
			order_id: 'order-2',
			id: 'order-2',
			status: 'accepted',
		});
	});

	it.each([
		['a success that names no order', success({ status: 'pending' })],
		['a success without data', { body: '{"status":"success"}' }],
		['a body that is cut', { body: '{"status":"success","data":{"order_id":"order-1","sta' }],
		['another status than success', { body: '{"status":"failed","data":{"order_id":"order-1"}}' }],
		[
			'an error beside it',
			{ body: '{"status":"success","error":"no","data":{"order_id":"other","status":"pending"}}' },
		],
		['an error in it', success({ order_id: 'other', status: 'pending', error: { code: 'E1' } })],
		['an amount that is no number', success({ order_id: 'other', status: 'pending', quantity: '2,00' })],
		['the amount of another order', success({ order_id: 'other', status: 'pending', quantity: 100 })],
		['a success that says it is none', success({ order_id: 'other', status: 'pending', success: false })],
		['a gateway that nobody waited for', failure(499, { message: 'client closed request' })],
		...[401, 403, 404, 405].map((status) => [
			`the page of a proxy with ${status}`,
			failure(status, '<html>Not here</html>'),
		]),
		['an empty 404', { status: 404, body: '' }],
		['a redirect', { status: 307, headers: { location: 'https://elsewhere.example/' } }],
		['a request timeout of the service', failure(408, {})],
		['a status nobody knows', failure(599, {})],
	] as [string, Answer][])('never calls an order failed after %s, and looks it up', async (_, answer) => {
		wire.on(CREATE, answer).on(
			LIST,
			listWith(wire, (input) => [{ ...input, id: 'order-1', status: 'accepted', quantity: '10' }]),
		);
		expect(await create()).toMatchObject({ order_id: 'order-1' });
		expect(bodies()).toHaveLength(1);
	});

	it.each([
		['an amount that cannot be read', success({ order_id: 'order-1', quantity: { value: '10.00' } })],
		['the amount of another order', success({ order_id: 'order-1', status: 'pending', quantity: 100 })],
		['its ID in another part', success({ result: { order_id: 'order-1' } })],
		['a failure', success({ order_id: 'order-1', status: 'pending', failure_reason: 'too little money' })],
		['a no', success({ order: { id: 'order-1', accepted: 'false' } })],
		['a part alone', success({ order_id: 'order-1', status: 'pending' }, 206)],
		['its rest cut off', { body: '{"status":"success","data":{"order_id":"order-1","sta' }],
		['another status than success', { body: '{"status":"failed","data":{"orderId":"order-1"}}' }],
		['a failure of the service', failure(500, { order_id: 'order-1' })],
		['a refusal', failure(422, { message: 'too late', order_id: 'order-1' })],
		['too many requests', failure(429, { data: { order_id: 'order-1' } })],
	] as [string, Answer][])('sends an order never again that was shown with %s, and looks for it', async (_, answer) => {
		wire.on(CREATE, answer);
		const memory = createAccountMemory();
		const client = quickClient(wire.account, { memory });
		const place = () => client.order.create(resting, { intent: 'a' });
		expect(await errorOf(place())).toMatchObject({ code: 'outcome_unknown', done: 'unknown' });
		const looks = wire.calls(LIST).length;
		expect(await errorOf(place())).toMatchObject({ code: 'outcome_unknown' });
		expect(wire.calls(LIST).length).toBeGreaterThan(looks);
		expect(bodies()).toHaveLength(1);
		wire.on(
			LIST,
			listWith(wire, (input) => [{ ...input, id: 'order-1', status: 'accepted' }]),
		);
		expect(await place()).toMatchObject({ order_id: 'order-1', status: 'accepted' });
		expect(bodies()).toHaveLength(1);
	});

	it.each([
		['seconds', '3', 3_000],
		['a date, held against that of the answer', new Date(DATED + 9_000).toUTCString(), 9_000],
		['nothing', undefined, 0],
		['a time in the past', 'Sat, 01 Jan 2000 00:00:00 GMT', 0],
		['nonsense', '-5', 0],
	])('waits after 429 as %s says and sends the same bytes', async (_, header, leastMs) => {
		wire.on(
			CREATE,
			failure(
				429,
				{},
				{ date: new Date(DATED).toUTCString(), ...(header === undefined ? {} : { 'retry-after': header }) },
			),
			success({ order_id: 'order-1', status: 'pending' }),
		);
		const client = quickClient(wire.account);
		expect(await client.order.create(resting, { intent: 'a' })).toMatchObject({ order_id: 'order-1' });
		expect(client.waited).toHaveLength(1);
		expect(client.waited[0]).toBeGreaterThanOrEqual(leastMs);
		expect(client.waited[0]).toBeLessThan(leastMs + 1_000);
		expect(new Set(bodies()).size).toBe(1);
		expect(bodies()).toHaveLength(2);
	});

	it('ends an order instead of waiting as long as an endless retry-after asks', async () => {
		wire.on(CREATE, failure(429, {}, { 'retry-after': '1000000000' }));
		const error = await errorOf(create());
		expect(error).toMatchObject({ code: 'rate_limited' });
		expect(bodies().length).toBeLessThanOrEqual(2);
	});

	it('honours the retry-after of a 503 before it sends an order again', async () => {
		wire.on(CREATE, failure(503, {}, { 'retry-after': '60' }), success({ order_id: 'order-1', status: 'pending' }));
		const client = quickClient(wire.account);
		expect(await client.order.create(resting, { intent: 'a' })).toMatchObject({ order_id: 'order-1' });
		expect(client.waited).toEqual([60_000]);
		wire.on(CREATE, failure(503, {}, { 'retry-after': '3000' }));
		expect(await errorOf(create(resting, { intent: 'b' }))).toMatchObject({ code: 'outcome_unknown' });
		expect(bodies()).toHaveLength(3);
	});

	it('does not repeat an order that met a conflict, and reports the conflict where no order is found', async () => {
		wire.on(CREATE, failure(409, { message: 'The key was used for something else' }));
		const error = await errorOf(create());
		expect(error).toMatchObject({ code: 'conflict' });
		expect(error.message).toContain('The key was used for something else');
		expect(bodies()).toHaveLength(1);
		wire.on(CREATE, drop, failure(409, {}));
		expect(await errorOf(create(resting, { intent: 'b' }))).toMatchObject({ code: 'outcome_unknown' });
		expect(bodies()).toHaveLength(3);
	});

	it('looks an order up before it says that a rate limit refused it', async () => {
		wire.on(CREATE, failure(429, {})).on(
			LIST,
			listWith(wire, (input) => [{ ...input, id: 'order-1', status: 'accepted' }]),
		);
		expect(await create()).toMatchObject({ order_id: 'order-1' });
		wire.on(LIST, success({ count: 0, orders: [] }));
		expect(await errorOf(create(resting, { intent: 'b' }))).toMatchObject({ code: 'rate_limited' });
		wire.on(LIST, failure(500, {}));
		expect(await errorOf(create(resting, { intent: 'c' }))).toMatchObject({ code: 'outcome_unknown' });
	});

	it('does not take a refusal as final when an earlier attempt may have worked', async () => {
		wire.on(CREATE, drop, failure(403, { message: 'The key was rotated' }));
		const error = await errorOf(create());
		expect(error.code).toBe('outcome_unknown');
		expect(error.message).toContain('The key was rotated');
	});

	it('matches by payload too: an old order under the same client order ID is not the new one', async () => {
		wire.on(CREATE, drop).on(
			LIST,
			listWith(wire, (input) => [{ ...input, id: 'order-1', status: 'filled', quantity: '99.00' }]),
		);
		expect((await errorOf(create())).code).toBe('outcome_unknown');
	});

	it('reports a second order under the name of one intent', async () => {
		wire.on(CREATE, drop).on(
			LIST,
			listWith(wire, (input) => ['order-1', 'order-2'].map((id) => ({ ...input, id, status: 'accepted' }))),
		);
		expect(await create()).toMatchObject({ order_id: 'order-1', duplicate_order_ids: ['order-2'] });
	});

	it('sends nothing and reports unreachable where nothing listens', async () => {
		await wire.close();
		const error = await errorOf(create());
		expect(error).toMatchObject({ code: 'unreachable', retryable: true });
	});

	it('is not placed where its time was over each time before a byte of it was sent', async () => {
		const send = () => Promise.reject(new TransportError('timeout', 'never'));
		const client = createClient(wire.account, { ...nodePorts(), clock: quickClock(), random: () => 0.5, send });
		expect(await errorOf(client.order.create(resting))).toMatchObject({ code: 'timeout', done: 'no' });
	});

	it('leaves an order unknown that may have been placed before the key was refused, for a look as well', async () => {
		wire.on(CREATE, failure(500, {}), failure(401, {}));
		wire.on(LIST, (_, response) => {
			if (wire.calls(CREATE).length > 1) return void response.writeHead(401).end('{}');
			response.end(JSON.stringify({ status: 'success', data: { count: 0, orders: [] } }));
		});
		expect(await errorOf(create())).toMatchObject({ code: 'outcome_unknown' });
		expect(wire.calls(CREATE)).toHaveLength(2);
	});

	it('leaves an order unknown that was turned away as too fast, where the key may not look', async () => {
		wire.on(CREATE, failure(429, {})).on(LIST, failure(403, {}));
		expect(await errorOf(create())).toMatchObject({ code: 'outcome_unknown' });
	});

	it('waits as long as a service asks for that cannot show the list', async () => {
		wire.on(CREATE, failure(500, {}));
		wire.on(
			LIST,
			failure(503, {}, { 'retry-after': '37' }),
			listWith(wire, (input) => [{ ...input, id: 'order-1', status: 'accepted' }]),
		);
		const client = quickClient(wire.account);
		expect(await client.order.create(resting, { intent: 'a' })).toMatchObject({ order_id: 'order-1' });
		expect(client.waited).toContain(37_000);
	});

	it('calls an order of a business key refused once a look is late enough, whatever its own deadline', async () => {
		wire.on(CREATE, failure(422, { message: 'The price is too low' }));
		const options = { business_key: 'mine', unknown_after_seconds: 1 };
		const error = await errorOf(create(resting, { intent: undefined, options }));
		expect(error).toMatchObject({ code: 'refused' });
	});

	it('asks the stream about an order only for a caller that waits for it', async () => {
		const answers = ['order-1', 'order-2'].map((order_id) =>
			success({ order_id, status: 'filled', created_at: CREATED }),
		);
		wire.on(CREATE, ...answers);
		wire.on('GET /partner/exchange/orders/order-2', success({ ...resting, id: 'order-2', status: 'filled' }));
		let requestCount = 0;
		const client = quickClient(wire.account, { orderEvents: () => ((requestCount += 1), () => undefined) });
		await client.order.create(resting, { intent: 'a' });
		expect(requestCount).toBe(0);
		await client.order.create(resting, { intent: 'b', options: { wait: 'final' } });
		expect(requestCount).toBeGreaterThan(0);
	});

	it('looks more and more seldom, and exactly when finding nothing begins to count', async () => {
		wire.on(CREATE, drop);
		const client = quickClient(wire.account);
		await errorOf(client.order.create(resting, { intent: 'a' }));
		const { conclusiveMs } = orderPolicy();
		let waited = 0;
		const looks = client.waited.map((pause) => (waited += pause));
		expect(looks.filter((at) => at < conclusiveMs).length).toBeGreaterThan(1);
		expect(looks).toContain(conclusiveMs);
	});

	it.each([-1, '-1', '2,00', 'ten', { value: '10.00' }, ['10.00'], true])(
		'takes no order of its name for the one that was sent whose quantity is %j',
		async (quantity) => {
			wire.on(CREATE, drop).on(
				LIST,
				listWith(wire, (input) => [{ ...input, id: 'order-1', status: 'accepted', quantity }]),
			);
			expect(await errorOf(create())).toMatchObject({ code: 'outcome_unknown' });
			wire.on(LIST, success({ orders: [{ ...resting, id: 'order-2', client_order_id: 'mine', quantity }] }));
			const sent = bodies().length;
			const again = create({ ...resting, client_order_id: 'mine' }, { intent: 'b' });
			expect(await errorOf(again)).toMatchObject({ code: 'conflict' });
			expect(bodies()).toHaveLength(sent);
		},
	);

	it('does not treat an order without a status as cancelled', async () => {
		wire.on('GET /partner/exchange/orders/order-1', success({ id: 'order-1', quantity: '10.00' }));
		const lost = new ExchangeError('outcome_unknown', { what: 'The acknowledgement was lost' });
		const client = quickClient(wire.account, { commands: () => ({ command: () => Promise.reject(lost) }) });
		const error = await errorOf(client.order.cancel({ pair_id: 'USD/NGN', order_id: 'order-1' }));
		expect(error).toMatchObject({ code: 'outcome_unknown' });
	});
});
