import {
	createClient,
	createInFlightIntents,
	type IntentEntry,
	type IntentJournal,
	type OrderPorts,
	type Resolution,
} from '@partner-exchange/core';
import { resolutionText } from '@partner-exchange/core/adapters';
import { BACKGROUND_LOOKUPS_MAX } from '../../../packages/core/src/orders/in-flight';
import { idleTime } from '../../support/idle-time';
import { errorOf, quickClient, resting } from '../../support/placing';
import { failure, success, useWire } from '../../support/wire';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';

/** More list reads than one call makes, and fewer than follow it in the background. */
const LISTS_OF_A_CALL = 30;

/** The order as the service lists it. */
const accepted = (client_order_id: string) => ({ ...resting, id: 'order-1', client_order_id, status: 'accepted' });

/** The resolutions reported after the calls, in order of arrival, and when there are so many. */
function reports(count = 1) {
	const settled: Resolution[] = [];
	let hear: () => void = () => undefined;
	const all = new Promise<void>((resolve) => (hear = resolve));
	const onResolved = (resolution: Resolution): void => {
		if (settled.push(resolution) === count) hear();
	};
	return { settled, all, onResolved };
}

describe('an order of unknown outcome', () => {
	const { wire } = useWire();

	/** Fails this many list reads; later reads return the given order, or an empty list. */
	function unreadableFor(lists: number, order?: (clientOrderId: string) => object): void {
		wire.on(LIST, (_, response) => {
			if (wire.calls(LIST).length <= lists) return void response.writeHead(503).end('{}');
			const [sent] = wire.calls(CREATE);
			const { client_order_id } = JSON.parse(sent?.body ?? '{}') as { client_order_id: string };
			const orders = order && sent ? [order(client_order_id)] : [];
			response.end(JSON.stringify({ status: 'success', data: { count: orders.length, orders } }));
		});
	}
	it('queues an unknown order where more are unknown than are looked up at once', async () => {
		wire.on(CREATE, failure(500, {}));
		wire.on(LIST, success({ count: 0, orders: [] }));
		const { settled, all, onResolved } = reports(BACKGROUND_LOOKUPS_MAX + 50);
		const time = idleTime();
		const client = createClient(wire.account, time.ports, { onResolved });
		const orders = Array.from({ length: BACKGROUND_LOOKUPS_MAX + 50 }, (_, index) =>
			errorOf(client.order.create(resting, { intent: `order ${index}`, options: { check_market: false } })),
		);
		const errors = await time.during(Promise.all(orders));
		expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['outcome_unknown']));
		await time.during(all);
		expect(new Set(settled.map(({ key }) => key)).size).toBe(orders.length);
	});

	const place = (host: OrderPorts) =>
		quickClient(wire.account, host).order.create(resting, { intent: 'a', options: { check_market: false } });

	it('looks an unknown order up after the call has answered, and reports what it finds', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL, accepted);
		const { settled, all, onResolved } = reports();
		expect(await errorOf(place({ onResolved }))).toMatchObject({ code: 'outcome_unknown' });
		await all;
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

	it('reports an unknown order as never done once nothing of it can arrive any more', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL);
		const { settled, all, onResolved } = reports();
		await errorOf(place({ onResolved }));
		await all;
		expect(settled).toMatchObject([{ outcome: 'refused', error: { code: 'not_found' } }]);
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('resolves an unknown order under its own name when another payload took the name meanwhile', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL, accepted);
		const { settled, all, onResolved } = reports();
		const time = idleTime();
		const client = createClient(wire.account, time.ports, { onResolved });
		const context = { intent: 'a', options: { check_market: false, unknown_after_seconds: 30 } };
		const leaving = new AbortController();
		const entry = errorOf(client.order.create(resting, context));
		const other = errorOf(
			client.order.create({ ...resting, quantity: '20.00' }, { ...context, repeated: true, signal: leaving.signal }),
		);
		time.ports.clock.after(5_000, () => leaving.abort());
		expect(await time.during(other)).toMatchObject({ code: 'outcome_unknown' });
		expect(await time.during(entry)).toMatchObject({ code: 'outcome_unknown' });
		await time.during(all);
		expect(settled).toMatchObject([{ outcome: 'accepted', fields: { quantity: '10.00' } }]);
	});

	it('resolves an unknown order although the key is refused for a moment', async () => {
		wire.on(CREATE, failure(500, {}));
		wire.on(LIST, (_, response) => {
			const lists = wire.calls(LIST).length;
			if (lists <= LISTS_OF_A_CALL) return void response.writeHead(lists % 2 === 0 ? 503 : 401).end('{}');
			const { client_order_id } = JSON.parse(wire.calls(CREATE)[0]!.body) as { client_order_id: string };
			const orders = [accepted(client_order_id)];
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		const { settled, all, onResolved } = reports();
		const time = idleTime();
		const client = createClient(wire.account, time.ports, { onResolved });
		const call = client.order.create(resting, { options: { check_market: false } });
		expect(await time.during(errorOf(call))).toMatchObject({ code: 'outcome_unknown' });
		await time.during(all);
		expect(settled).toMatchObject([{ outcome: 'accepted' }]);
	});

	it('leaves an order unknown when nothing can be read for half an hour', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(Number.POSITIVE_INFINITY);
		const { settled, all, onResolved } = reports();
		await errorOf(place({ onResolved }));
		await all;
		expect(settled).toMatchObject([{ outcome: 'unknown' }]);
	});

	it('stops looking for an unknown order when the host stops', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(Number.POSITIVE_INFINITY);
		const { settled, onResolved } = reports();
		const host = new AbortController();
		await errorOf(place({ onResolved, signal: host.signal }));
		host.abort();
		const lists = wire.calls(LIST).length;
		for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
		expect(settled).toEqual([]);
		expect(wire.calls(LIST).length - lists).toBeLessThanOrEqual(1);
	});

	it('resolves an unknown order in the journal and for later calls as well', async () => {
		wire.on(CREATE, failure(500, {}));
		unreadableFor(LISTS_OF_A_CALL, accepted);
		wire.on(`${LIST}/order-1`, success({ id: 'order-1', status: 'accepted' }));
		const { all, onResolved } = reports();
		const entries = new Map<string, IntentEntry>();
		const journal: IntentJournal = {
			record: (entry) => Promise.resolve(void entries.set(entry.key, entry)),
			close: (key) => Promise.resolve(void entries.delete(key)),
			open: () => Promise.resolve([]),
		};
		const host = { onResolved, journal, inFlight: createInFlightIntents() };
		await errorOf(place(host));
		expect(entries.size).toBe(1);
		await all;
		expect(entries.size).toBe(0);
		expect(await place(host)).toMatchObject({ order_id: 'order-1', repeated: true });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('looks an unknown order up after a restart too', async () => {
		const fields = { ...resting, client_order_id: 'mine', idempotency_key: 'mine' };
		const entry: IntentEntry = { key: 'mine', operation: 'order.create', fields, at: 0 };
		const journal: IntentJournal = {
			record: () => Promise.resolve(),
			close: () => Promise.resolve(),
			open: () => Promise.resolve([entry]),
		};
		wire.on(LIST, (_, response) => {
			if (wire.calls(LIST).length <= LISTS_OF_A_CALL) return void response.writeHead(503).end('{}');
			const orders = [{ ...fields, id: 'order-1', status: 'filled' }];
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		const { settled, all, onResolved } = reports();
		const client = quickClient(wire.account, { onResolved, journal });
		for await (const { outcome } of client.recover()) expect(outcome).toBe('unknown');
		await all;
		expect(settled).toMatchObject([{ key: 'mine', outcome: 'accepted', result: { order_id: 'order-1' } }]);
	});

	it('names in its error everything that resolves an unknown order, and resumes with it', async () => {
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
	const { wire } = useWire();

	const old = '2020-01-01T00:00:00.000Z';

	it('marks an order as repeated, with its time, when the service answers with one of before the run', async () => {
		wire.on(CREATE, success({ order_id: 'order-1', status: 'pending', created_at: old }));
		const item = await quickClient(wire.account).order.create(resting, { options: { check_market: false } });
		expect(item).toMatchObject({ order_id: 'order-1', repeated: true, original_created_at: old });
	});

	it('does not treat an order from before the run as the one just sent', async () => {
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

	it('does not treat an order of another intent as the new one', async () => {
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

	it('names a repeated order by order_id, whatever stands in id', async () => {
		wire.on(CREATE, success({ id: 'envelope-9', order_id: 'order-1', status: 'pending', created_at: old }));
		const item = await quickClient(wire.account).order.create(resting, { options: { check_market: false } });
		expect(item.order_id).toBe('order-1');
	});
});

describe('the sentence about a resolved order', () => {
	it.each<[string, Partial<Resolution>, string]>([
		[
			'an order',
			{ fields: { client_order_id: 'mine' }, result: { order_id: 'order-1' } },
			'(mine) was looked for: it was done (order order-1)',
		],
		[
			'a cancel',
			{ operation: 'order.cancel', fields: { order_id: 'order-2' } },
			'(order-2) was looked for: it was done',
		],
		['a write without either', { fields: {}, outcome: 'refused' }, '(key-1) was looked for: it was not done'],
		['an unknown order', { outcome: 'unknown' }, 'it is still unknown: use Resolve Order'],
	])('names %s, and what became of it', (_, more, report) => {
		const text = resolutionText({ key: 'key-1', operation: 'order.create', fields: {}, outcome: 'accepted', ...more });
		expect(text).toContain(report);
	});
});
