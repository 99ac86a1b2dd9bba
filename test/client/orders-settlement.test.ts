import {
	createAccountLimits,
	createInFlightIntents,
	type IntentEntry,
	type IntentJournal,
	type OrderPorts,
	type Settlement,
} from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../support/placing';
import { failure, startWire, success, type Wire } from '../support/wire';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';

/** More lists than one call reads, and fewer than are read after it. */
const LISTS_OF_A_CALL = 30;

/** What is told after the calls, as it comes. */
function told() {
	const settled: Settlement[] = [];
	let hear: () => void = () => undefined;
	const first = new Promise<void>((resolve) => (hear = resolve));
	const onSettled = (settlement: Settlement): void => {
		settled.push(settlement);
		hear();
	};
	return { settled, first, onSettled };
}

describe('an order of unknown outcome', () => {
	let wire: Wire;

	beforeEach(async () => {
		wire = await startWire();
	});
	afterEach(() => wire.close());

	/** Nothing can be read until so many lists were asked for; then there is this order, or none. */
	function unreadableFor(lists: number, order?: (clientOrderId: string) => object): void {
		wire.on(LIST, (_, response) => {
			if (wire.calls(LIST).length <= lists) return void response.writeHead(503).end('{}');
			const [sent] = wire.calls(CREATE);
			const { client_order_id } = JSON.parse(sent?.body ?? '{}') as { client_order_id: string };
			const orders = order && sent ? [order(client_order_id)] : [];
			response.end(JSON.stringify({ status: 'success', data: { count: orders.length, orders } }));
		});
	}
	const place = (host: OrderPorts) =>
		quickClient(wire.account, host).order.create(resting, { intent: 'a', options: { check_market: false } });

	it('is looked for after the call answered, and what is found is told', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL, (client_order_id) => ({
			...resting,
			id: 'order-1',
			client_order_id,
			status: 'accepted',
		}));
		const { settled, first, onSettled } = told();
		expect(await errorOf(place({ onSettled }))).toMatchObject({ code: 'outcome_unknown' });
		await first;
		expect(settled).toMatchObject([
			{
				operation: 'order.create',
				outcome: 'accepted',
				result: { order_id: 'order-1' },
				fields: { quantity: '10.00' },
			},
		]);
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('is called never done when nothing of it can arrive any more', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL);
		const { settled, first, onSettled } = told();
		await errorOf(place({ onSettled }));
		await first;
		expect(settled).toMatchObject([{ outcome: 'refused', error: { code: 'not_found' } }]);
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('stays unknown when nothing can be read for half an hour', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(Number.POSITIVE_INFINITY);
		const { settled, first, onSettled } = told();
		await errorOf(place({ onSettled }));
		await first;
		expect(settled).toMatchObject([{ outcome: 'unknown' }]);
	});

	it('is left alone when the host stops', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(Number.POSITIVE_INFINITY);
		const { settled, onSettled } = told();
		const host = new AbortController();
		await errorOf(place({ onSettled, signal: host.signal }));
		host.abort();
		const lists = wire.calls(LIST).length;
		for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
		expect(settled).toEqual([]);
		expect(wire.calls(LIST).length - lists).toBeLessThanOrEqual(1);
	});

	it('is settled in the journal and for later calls as well', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL, (client_order_id) => ({
			...resting,
			id: 'order-1',
			client_order_id,
			status: 'accepted',
		}));
		const { first, onSettled } = told();
		const entries = new Map<string, IntentEntry>();
		const journal: IntentJournal = {
			record: (entry) => Promise.resolve(void entries.set(entry.key, entry)),
			settle: (key) => Promise.resolve(void entries.delete(key)),
			open: () => Promise.resolve([]),
		};
		const host = { onSettled, journal, inFlight: createInFlightIntents() };
		await errorOf(place(host));
		expect(entries.size).toBe(1);
		await first;
		expect(entries.size).toBe(0);
		expect(await place(host)).toMatchObject({ order_id: 'order-1', repeated: true });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('is looked for after a restart too', async () => {
		const fields = { ...resting, client_order_id: 'mine', idempotency_key: 'mine' };
		const entry: IntentEntry = { key: 'mine', operation: 'order.create', fields, at: 0 };
		const journal: IntentJournal = {
			record: () => Promise.resolve(),
			settle: () => Promise.resolve(),
			open: () => Promise.resolve([entry]),
		};
		wire.on(LIST, (_, response) => {
			if (wire.calls(LIST).length <= LISTS_OF_A_CALL) return void response.writeHead(503).end('{}');
			const orders = [{ ...fields, id: 'order-1', status: 'filled' }];
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		const { settled, first, onSettled } = told();
		const client = quickClient(wire.account, { onSettled, journal });
		for await (const { outcome } of client.recover()) expect(outcome).toBe('unknown');
		await first;
		expect(settled).toMatchObject([{ key: 'mine', outcome: 'accepted', result: { order_id: 'order-1' } }]);
	});

	it('tells in its error everything that settles it and goes on with it', async () => {
		wire.on(CREATE, failure(500, {}));
		wire.on(LIST, failure(503, {}));
		const error = await errorOf(place({}));
		expect(error.details).toMatchObject({
			intent_operation: 'order.create',
			...resting,
			client_order_id: expect.any(String) as string,
			idempotency_key: expect.any(String) as string,
		});
		expect(error.message).toContain('Resolve Order');
		const { client_order_id, pair_id } = error.details as Record<string, string>;
		wire.on(LIST, success({ count: 1, orders: [{ ...resting, id: 'order-1', client_order_id, status: 'filled' }] }));
		const client = quickClient(wire.account);
		expect(await client.order.resolve({ client_order_id: client_order_id!, pair_id })).toMatchObject({
			outcome: 'accepted',
		});
		const { side, order_type, quantity, price, idempotency_key } = error.details as unknown as typeof resting & {
			idempotency_key: string;
		};
		const again = { pair_id: pair_id!, side, order_type, quantity, price, client_order_id, idempotency_key };
		expect(await client.order.create(again, { options: { check_market: false } })).toMatchObject({
			order_id: 'order-1',
			repeated: true,
		});
		expect(wire.calls(CREATE)).toHaveLength(1);
	});
});

describe('an order that exists under the same name', () => {
	let wire: Wire;

	beforeEach(async () => {
		wire = await startWire();
	});
	afterEach(() => wire.close());

	const old = '2020-01-01T00:00:00.000Z';

	it('is called repeated with its time when the service answers with one placed before the run', async () => {
		wire.on(CREATE, success({ order_id: 'order-1', status: 'pending', created_at: old }));
		const item = await quickClient(wire.account).order.create(resting, { options: { check_market: false } });
		expect(item).toMatchObject({ order_id: 'order-1', repeated: true, original_created_at: old });
	});

	it('is not taken for the one just sent when it was placed before the run', async () => {
		wire.on(CREATE, failure(500, {}));
		wire.on(LIST, (_, response) => {
			const { client_order_id } = JSON.parse(wire.calls(CREATE)[0]!.body) as { client_order_id: string };
			const orders = [{ ...resting, id: 'order-1', client_order_id, status: 'filled', created_at: old }];
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		const options = { check_market: false };
		expect(await errorOf(quickClient(wire.account).order.create(resting, { options }))).toMatchObject({
			code: 'outcome_unknown',
		});
	});

	it('is not taken for another intent it is known to belong to', async () => {
		wire.on(
			CREATE,
			success({ order_id: 'order-1', status: 'pending', created_at: new Date().toISOString() }),
			failure(500, {}),
		);
		const inFlight = createInFlightIntents();
		const options = { check_market: false };
		const first = await quickClient(wire.account, { inFlight }).order.create(resting, { intent: 'a', options });
		wire.on(LIST, (_, response) => {
			const { client_order_id } = JSON.parse(wire.calls(CREATE)[1]!.body) as { client_order_id: string };
			const orders = [{ ...resting, id: first.order_id, client_order_id, status: 'accepted' }];
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		expect(
			await errorOf(quickClient(wire.account, { inFlight }).order.create(resting, { intent: 'b', options })),
		).toMatchObject({ code: 'outcome_unknown' });
	});

	it('names its order by order_id, whatever stands in id', async () => {
		wire.on(CREATE, success({ id: 'envelope-9', order_id: 'order-1', status: 'pending', created_at: old }));
		const item = await quickClient(wire.account).order.create(resting, { options: { check_market: false } });
		expect(item.order_id).toBe('order-1');
	});
});

describe('the limits of an account', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(() => sandbox.close());

	const limits = () => createAccountLimits({ elapsed: () => 0 }, { ordersPerMinute: 2 });

	it('stop a loop that goes wild, and nothing more is sent', async () => {
		const client = quickClient(accountOf(sandbox), { limits: limits() });
		await client.order.create(resting);
		await client.order.create(resting);
		expect(await errorOf(client.order.create(resting))).toMatchObject({ code: 'limit_reached' });
		expect(createsIn(sandbox)).toHaveLength(2);
	});

	it('count no order that is refused before it is sent, and none that is only shown', async () => {
		const client = quickClient(accountOf(sandbox), { limits: limits() });
		for (let times = 0; times < 3; times += 1) {
			await errorOf(client.order.create(resting, { options: { max_quantity: '1' } }));
			await client.order.create(resting, { options: { dry_run: true } });
		}
		await client.order.create(resting);
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('hold when the market is not checked', async () => {
		const error = await errorOf(
			quickClient(accountOf(sandbox)).order.create(resting, { options: { check_market: false, max_quantity: '1' } }),
		);
		expect(error).toMatchObject({ code: 'invalid_input', field: 'quantity' });
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it('are switched off for nobody while the stop switch is thrown', async () => {
		const given = limits();
		const client = quickClient(accountOf(sandbox), { limits: given });
		given.stop();
		expect(await errorOf(client.order.create(resting))).toMatchObject({ code: 'not_available' });
		given.resume();
		await client.order.create(resting);
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('keep what is in doubt from being sent again once the switch is thrown', async () => {
		const given = limits();
		sandbox.faults.arm({ kind: 'drop-before-commit', operation: 'order.create', times: 100 });
		const client = quickClient(accountOf(sandbox), {
			limits: { ...given, admit: (order) => (given.admit(order), setImmediate(() => given.stop())) },
		});
		expect(await errorOf(client.order.create(resting))).toMatchObject({ code: 'outcome_unknown' });
		expect(createsIn(sandbox)).toHaveLength(1);
		sandbox.faults.disarm();
	});
});
