import {
	createAccountMemory,
	type ExchangeError,
	type IntentEntry,
	type IntentJournal,
	type Item,
	type OrderPorts,
	type Ports,
	type Resolution,
} from '@partner-exchange/core';
import { ownerOf } from '../../../packages/core/src/orders/journal';
import type { OrderList } from '../../../packages/core/src/orders/log/order-list';
import { resolveOrder } from '../../../packages/core/src/orders/resolve';
import { errorOf, quickClient, resting } from '../../support/placing';
import { failure, quickClock, success, useWire } from '../../support/wire';

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
		const host = { onResolved, journal, memory: createAccountMemory() };
		await errorOf(place(host));
		expect(entries.size).toBe(1);
		await all;
		expect(entries.size).toBe(0);
		expect(await place(host)).toMatchObject({ order_id: 'order-1', repeated: true });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('looks an unknown order up after a restart too', async () => {
		const fields = { ...resting, client_order_id: 'mine', idempotency_key: 'mine' };
		const account = ownerOf(wire.account);
		const entry: IntentEntry = { key: 'mine', operation: 'order.create', fields, at: 0, account };
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

	it('does not treat an order of another intent as the new one', async () => {
		wire.on(
			CREATE,
			success({ order_id: 'order-1', status: 'pending', created_at: new Date().toISOString() }),
			failure(500, {}),
		);
		const memory = createAccountMemory();
		const options = { check_market: false };
		const first = await quickClient(wire.account, { memory }).order.create(resting, { intent: 'a', options });
		wire.on(LIST, (_, response) => {
			const { client_order_id } = JSON.parse(wire.calls(CREATE)[1]!.body) as { client_order_id: string };
			const orders = [{ ...resting, id: first.order_id, client_order_id, status: 'accepted' }];
			response.end(JSON.stringify({ status: 'success', data: { count: 1, orders } }));
		});
		expect(
			await errorOf(quickClient(wire.account, { memory }).order.create(resting, { intent: 'b', options })),
		).toMatchObject({ code: 'outcome_unknown' });
	});
});

const mine: Item = { id: 'o1', client_order_id: 'mine' };

const LONG = 'invoice-2026-0007-of-the-desk';

const nothing = { orders: [], complete: true };

const SETTLE_MS = 15_000;

const LATE_MS = 300_000;

const BEGAN = Date.UTC(2026, 0, 31);

const timeAfter = (ms: number): string => new Date(BEGAN + ms).toISOString();

/** No request of that time can arrive any more. */
const longAgo = { not_before: timeAfter(-1) };

interface Asking {
	signal?: AbortSignal;
	waits?: boolean;
	sentAt?: number;
	/** What the list shows to whoever looks for them. */
	rows?: readonly Item[];
	/** What is shown of one order. */
	orders?: Readonly<Record<string, Item>>;
	at?: () => number | undefined;
}

/** Looks up an order in a list with these responses in turn; the last one repeats. */
async function resolved(
	answers: unknown[],
	accepted: Record<string, string> = {},
	{ signal, waits = false, sentAt, rows = [], orders = {}, at = () => undefined }: Asking = {},
) {
	const clock = quickClock();
	const looks: unknown[] = [];
	const list: Pick<OrderList, 'find'> = {
		find: ({ isThorough, name, matches, mayMatch = () => false }) => {
			const found = rows.filter(matches);
			if (name === undefined || found.length > 0) return Promise.resolve({ orders: found, hidden: [], complete: true });
			expect(matches({ client_order_id: 'theirs' })).toBe(false);
			const answer = answers[Math.min(looks.length, answers.length - 1)];
			looks.push(isThorough);
			const hidden = rows.filter(mayMatch);
			return (
				answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ ...(answer as object), hidden })
			) as never;
		},
	};
	const ports = { clock, random: () => 0.999 } as unknown as Ports;
	const end = await resolveOrder(
		{ client_order_id: 'mine', ...accepted },
		{
			...{ list, ports, context: { signal, options: { wait_certain: waits } } },
			read: (_, input) => Promise.resolve(orders[String((input as Item).order_id)]),
			...{ service: { at }, policy: { conclusiveMs: SETTLE_MS, lateArrivalMs: LATE_MS }, sentAt },
		},
	).then(
		(answer) => ({ answer, error: undefined }),
		(error: ExchangeError) => ({ answer: undefined, error }),
	);
	return { ...end, looks, waited: clock.waited.map((pause) => Math.round(pause)) };
}

describe('whether an order exists', () => {
	it('denies an order only once a request just sent can no longer arrive, and says from when on', async () => {
		const { answer } = await resolved([nothing]);
		expect(answer).toEqual({
			...{ outcome: 'unknown', client_order_id: 'mine', order: null, not_before: timeAfter(LATE_MS + SETTLE_MS) },
			advice: 'It may still arrive: ask again with this not_before, not before 00:05 UTC, and do not place it again',
		});
		const denied = { outcome: 'not_found', client_order_id: 'mine', order: null };
		expect(await resolved([nothing], longAgo)).toMatchObject({ answer: denied, waited: [] });
		const soon = { not_before: timeAfter(1_000) };
		expect(await resolved([nothing], soon)).toMatchObject({ answer: denied, waited: [1_000] });
	});

	it('waits until a sent request can no longer arrive, where that is asked for', async () => {
		const { answer, waited } = await resolved([nothing], {}, { waits: true });
		expect({ answer, waited }).toMatchObject({ answer: { outcome: 'not_found' }, waited: [LATE_MS + SETTLE_MS] });
		const late = await resolved([nothing, { orders: [mine] }], {}, { waits: true });
		expect(late.answer).toMatchObject({ outcome: 'accepted' });
		const far = await resolved([nothing], { not_before: timeAfter(10 * LATE_MS) }, { waits: true });
		expect(far.waited).toEqual([LATE_MS + SETTLE_MS]);
	});

	it('resolves an order that the list shows late, with every other order under its name', async () => {
		const { answer } = await resolved([
			nothing,
			{ orders: [mine, { ...mine, id: 'o2' }, { client_order_id: 'mine' }] },
		]);
		expect(answer).toEqual({
			...{ outcome: 'accepted', client_order_id: 'mine', order: mine },
			duplicate_order_ids: ['o2'],
		});
	});

	it('leaves an order unresolved where the list could not be seen whole', async () => {
		const gap = { orders: [], complete: false, gap: 'the list is too long' };
		const { error } = await resolved([nothing, gap]);
		expect(error).toMatchObject({ code: 'limit_reached', operation: 'Resolve Order' });
		expect(error?.what).toContain('whether there is such an order: the list is too long');
		expect((await resolved([gap, nothing], longAgo)).answer).toMatchObject({ outcome: 'not_found' });
	});

	const created_at = timeAfter(-60_000);
	it.each<[string, Item, string | undefined]>([
		['no name', { created_at }, undefined],
		['a part of the name', { created_at, client_order_id: LONG.slice(0, 16) }, 'without its whole client order ID'],
		['another name', { created_at, client_order_id: 'theirs' }, undefined],
		[
			'a part and an earlier time',
			{ created_at: timeAfter(-3 * 3_600_000), client_order_id: LONG.slice(0, 16) },
			undefined,
		],
		['a part and another pair', { created_at, client_order_id: LONG.slice(0, 16), pair_id: 'EUR/NGN' }, undefined],
	])('denies an order beside one that shows %s only where that may not be it', async (_, row, gap) => {
		const input = { client_order_id: LONG, pair_id: 'USD/NGN', ...longAgo };
		const { answer, error } = await resolved([nothing], input, { rows: [row] });
		expect(answer?.outcome).toBe(gap === undefined ? 'not_found' : undefined);
		if (gap !== undefined) expect(error?.message).toContain(gap);
	});

	it.each([longAgo, {}])('denies no order whose name was cut short: %j', async (input) => {
		const chosen = 'a-name-that-is-longer-than-a-column';
		const rows = [{ created_at, client_order_id: `${chosen.slice(0, 16)}   ` }];
		const end = await resolved([nothing], { ...input, client_order_id: chosen }, { rows, waits: true });
		expect(end.error?.message).toContain('without its whole client order ID');
	});

	it.each<[string, number]>([
		['ahead', 24 * 3_600_000],
		['behind', -24 * 3_600_000],
	])('denies nothing too early where the service dates its answers a day %s', async (_, aheadMs) => {
		const at = () => BEGAN + aheadMs;
		const { answer } = await resolved([nothing], { not_before: timeAfter(LATE_MS) }, { at });
		expect(answer).toMatchObject({ outcome: 'unknown' });
		// Others may go by a clock that is right.
		expect(answer!.not_before! >= timeAfter(LATE_MS)).toBe(true);
	});

	it('names the order that took the place of the one it finds, which may have filled', async () => {
		const cancelled = { ...mine, status: 'cancelled', created_at };
		const successor = { id: 'o2', status: 'filled', replace: { replaces_order_id: 'o1' } };
		const { answer } = await resolved([{ orders: [cancelled] }], {}, { rows: [successor], orders: { o2: successor } });
		expect(answer).toMatchObject({
			outcome: 'accepted',
			order: cancelled,
			replaced_by_order_id: 'o2',
			replacement: successor,
		});
		expect(answer!.advice).toContain('place neither of them again');
	});
});
