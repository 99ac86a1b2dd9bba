import { createClient, createInFlightIntents } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../support/idle-time';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../support/placing';
import { failure, silence, startWire, success, type Wire } from '../support/wire';
import { until } from '../support/condition';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';

describe('stopping an order on its way', () => {
	let wire: Wire;

	beforeEach(async () => {
		wire = await startWire();
		wire.on(LIST, success({ count: 0, orders: [] })).on('GET /partner/exchange/markets', success({ markets: [] }));
	});
	afterEach(() => wire.close());

	it('sends nothing when it is stopped before', async () => {
		const error = await errorOf(quickClient(wire.account).order.create(resting, { signal: AbortSignal.abort() }));
		expect(error).toMatchObject({ code: 'aborted' });
		expect(wire.calls(CREATE)).toHaveLength(0);
	});

	it('leaves an intent that is unknown, not failed, when it is stopped after sending (checklist 67)', async () => {
		wire.on(CREATE, silence);
		const abort = new AbortController();
		const ended = errorOf(quickClient(wire.account).order.create(resting, { signal: abort.signal }));
		await until(() => wire.calls(CREATE).length === 1, { what: 'the order' });
		abort.abort();
		const error = await ended;
		expect(error).toMatchObject({
			code: 'outcome_unknown',
			details: { attempts: 1, client_order_id: expect.any(String) as string },
		});
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('sends no more when it is stopped between attempts (checklist 67)', async () => {
		const abort = new AbortController();
		wire.on(CREATE, (_, response) => {
			response.writeHead(503).end();
			abort.abort();
		});
		const error = await errorOf(quickClient(wire.account).order.create(resting, { signal: abort.signal }));
		expect(error.code).toBe('outcome_unknown');
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('is as patient with one who waited for the run of another as with one who did not', async () => {
		wire.on(LIST, failure(503, {}));
		const time = idleTime();
		const client = createClient(wire.account, time.ports);
		const patience = { unknown_after_seconds: 40 };
		const call = (repeated: boolean) =>
			errorOf(
				client.order.create(resting, { repeated, options: { ...patience, business_key: 'a', check_market: false } }),
			);
		const began = time.ports.clock.elapsed();
		const first = call(false);
		// It knows of an earlier run, so it does not reuse the other call's outcome and runs the intent itself.
		expect(await time.during(call(true))).toMatchObject({ code: 'outcome_unknown' });
		expect((time.ports.clock.elapsed() - began) / 1_000).toBeLessThanOrEqual(40);
		expect(await first).toMatchObject({ code: 'outcome_unknown', details: { cause: 'unavailable' } });
	});

	it('lets the one who joined leave, while the run goes on for the one who began it', async () => {
		let answer: (() => void) | undefined;
		wire.on(CREATE, (_, response) => {
			answer = () =>
				void response.end(JSON.stringify({ status: 'success', data: { order_id: 'order-1', status: 'pending' } }));
		});
		const inFlight = createInFlightIntents();
		const abort = new AbortController();
		const first = quickClient(wire.account, { inFlight }).order.create(resting, { intent: 'a' });
		await until(() => answer, { what: 'the order' });
		const second = errorOf(
			quickClient(wire.account, { inFlight }).order.create(resting, { intent: 'a', signal: abort.signal }),
		);
		await until(() => wire.calls('GET /partner/exchange/markets').length > 0, { what: 'the check' });
		abort.abort();
		expect(await second).toMatchObject({ code: 'outcome_unknown' });
		answer!();
		expect(await first).toMatchObject({ order_id: 'order-1' });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it.each([
		['outcome_unknown', 'the service was reached', () => wire.account],
		[
			'aborted',
			'nothing was ever sent',
			() => ({ ...wire.account, baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' }),
		],
	] as const)('is called %s during a pause when %s', async (code, _, account) => {
		wire.on(CREATE, failure(429, {}, { 'retry-after': '60' }));
		const abort = new AbortController();
		const stopsAtFirstPause = {
			now: () => 0,
			elapsed: () => 0,
			after: () => (setImmediate(() => abort.abort()), () => undefined),
		};
		const client = createClient(account(), { ...nodePorts(), clock: stopsAtFirstPause });
		const options = { check_market: false };
		const error = await errorOf(client.order.create(resting, { signal: abort.signal, options }));
		expect(error.code).toBe(code);
		expect(wire.calls(CREATE)).toHaveLength(code === 'aborted' ? 0 : 1);
	});
});

describe('guards and dry runs', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		// The clock of a quick client skips all waits, so the order itself must not take longer.
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(() => sandbox.close());

	const client = () => quickClient(accountOf(sandbox));
	const market = { pair_id: 'USD/NGN', side: 'sell', order_type: 'market', quantity: '10.00' } as const;

	it.each([
		['a quantity above the limit', resting, { max_quantity: '9.99' }],
		['a value above the limit', resting, { max_notional: '13999.99' }],
		['a market order where the value is limited', market, { max_notional: '1000000.00' }],
		['a side that is not allowed', resting, { allowed_sides: 'sell' }],
		['a pair that is not allowed', resting, { allowed_pairs: 'EUR/NGN, GBP/NGN' }],
		['a limit that is no number', resting, { max_quantity: 'lots' }],
		['a list of pairs that names none', resting, { allowed_pairs: ' , ' }],
	] as const)('refuses %s before anything is sent', async (_, input, options) => {
		const error = await errorOf(client().order.create(input, { options }));
		expect(error).toMatchObject({ code: 'invalid_input' });
		expect(error.message).toContain('nothing was sent');
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it('lets through what is exactly at the limit', async () => {
		const options = {
			max_quantity: '10',
			max_notional: '14000',
			allowed_sides: 'buy',
			allowed_pairs: 'USD/NGN',
		} as const;
		await client().order.create(resting, { options });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('holds a replacement to the side of the order it replaces (security 39)', async () => {
		const { order_id } = await client().order.create(resting, { options: { wait: 'accepted' } });
		const command = { command: () => Promise.reject(new Error('must not be sent')) };
		const asked = { pair_id: 'USD/NGN', order_id, quantity: '20.00', price: '1390.00' };
		const guarded = quickClient(accountOf(sandbox), { commands: () => command });
		const error = await errorOf(guarded.order.replace(asked, { options: { allowed_sides: 'sell' } }));
		expect(error).toMatchObject({ code: 'invalid_input', field: 'side' });
	});

	it.each([
		['the pair of the order it replaces', 'USD/NGN', 'EUR/NGN', 'Pair EUR/NGN is not allowed here, only USD/NGN'],
		['a pair that can be read', 'USD/NGN', undefined, 'The pair of the order cannot be read'],
	])('holds a replacement to %s', async (_, allowed_pairs, pair_id, what) => {
		const wire = await startWire();
		wire.on('GET /partner/exchange/orders/order-1', success({ id: 'order-1', status: 'accepted', pair_id }));
		const asked = { pair_id: 'USD/NGN', order_id: 'order-1', quantity: '20.00', price: '1390.00' };
		const options = { allowed_pairs, check_market: false };
		const error = await errorOf(quickClient(wire.account).order.replace(asked, { options }));
		expect(error).toMatchObject({ code: 'invalid_input', field: 'pair_id' });
		expect(error.message).toContain(what);
		await wire.close();
	});

	it('shows the exact request of a dry run, with the key hidden, and sends nothing', async () => {
		const options = { dry_run: true };
		const shown = await client().order.create(resting, { intent: 'a', options });
		expect(shown).toMatchObject({
			dry_run: true,
			request: { method: 'POST', body: { quantity: '10.00' }, headers: { 'x-api-key': '[hidden]' } },
		});
		expect(JSON.stringify(shown)).not.toContain('sandbox-key');
		expect(createsIn(sandbox)).toHaveLength(0);
		await client().order.create(resting, { intent: 'a' });
		const [sent] = createsIn(sandbox);
		expect((shown as unknown as { request: { body: unknown } }).request.body).toEqual(JSON.parse(sent!.body));
		expect(shown).toMatchObject({ request: { headers: { 'idempotency-key': sent!.headers['idempotency-key'] } } });
	});

	it('shows the command of a dry run', async () => {
		const shown = await client().order.cancel(
			{ pair_id: 'USD/NGN', order_id: 'order-1' },
			{ options: { dry_run: true } },
		);
		expect(shown).toMatchObject({
			dry_run: true,
			command: {
				type: 'command',
				action: 'order_cancel',
				order_id: 'order-1',
				idempotency_key: expect.any(String) as string,
			},
		});
	});

	it('holds a dry run to the guards as well', async () => {
		const error = await errorOf(client().order.create(resting, { options: { dry_run: true, max_quantity: '1' } }));
		expect(error).toMatchObject({ code: 'invalid_input' });
	});
});
