import {
	ExchangeError,
	type Item,
	type Ports,
	createClient,
	createInFlightIntents,
	type CommandAck,
} from '@partner-exchange/core';
import { resolveOrder } from '../../../packages/core/src/orders/resolve';
import type { OrderList } from '../../../packages/core/src/orders/log/order-list';
import { quickClock } from '../../support/wire';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../../support/idle-time';
import { accountOf, createsIn, errorOf, quickClient, resting } from '../../support/placing';

const mine: Item = { id: 'o1', client_order_id: 'mine' };

const LONG = 'invoice-2026-0007-of-the-desk';
const nothing = { orders: [], complete: true };

const busy = (retryAfterMs?: number) => new ExchangeError('rate_limited', { what: 'simulated', retryAfterMs });

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
	const list: Pick<OrderList, 'look'> = {
		look: ({ isThorough, name, matches }) => {
			const found = rows.filter(matches);
			if (name === undefined || found.length > 0) return Promise.resolve({ orders: found, complete: true });
			expect(matches({ client_order_id: 'theirs' })).toBe(false);
			const answer = answers[Math.min(looks.length, answers.length - 1)];
			looks.push(isThorough);
			return (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) as never;
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
	it('resolves an order at once where the list shows it', async () => {
		expect(await resolved([{ orders: [mine], complete: false }])).toEqual({
			answer: { outcome: 'accepted', client_order_id: 'mine', order: mine },
			...{ error: undefined, looks: [true], waited: [] },
		});
	});

	it('looks for an order at once, and again a while later', async () => {
		const { answer, looks, waited } = await resolved([nothing], { pair_id: 'USD/NGN' });
		expect(answer).toMatchObject({ outcome: 'unknown', client_order_id: 'mine', order: null });
		expect(looks).toEqual([true, true]);
		expect(waited).toEqual([SETTLE_MS]);
	});

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

	it('does not deny an order by an old time when this process has sent it again since', async () => {
		const { answer } = await resolved([nothing], longAgo, { sentAt: BEGAN - 60_000 });
		expect(answer).toMatchObject({ outcome: 'unknown', not_before: timeAfter(LATE_MS + SETTLE_MS - 60_000) });
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

	it.each([busy(), new ExchangeError('forbidden', { what: 'simulated' }), new TypeError('a fault')])(
		'passes on why the list cannot be read: %s',
		async (failure) => {
			expect(await resolved([failure])).toMatchObject({ error: failure, looks: [{}] });
		},
	);

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

describe('an order asked for again after its outcome was unknown', () => {
	let sandbox: Sandbox;
	afterEach(() => sandbox.close());

	it('finds an order of unknown outcome again however late, also for a caller that missed the first run', async () => {
		sandbox = await startSandbox({ clock: 'virtual' });
		const time = idleTime((byMs) => sandbox.advance(byMs));
		const client = createClient(accountOf(sandbox), time.ports);
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const place = () => client.order.create(resting, { intent: 'message 1', options: { check_market: false } });
		expect(await time.during(errorOf(place()))).toMatchObject({ code: 'outcome_unknown' });
		sandbox.faults.disarm();
		const order = [...sandbox.engine.state.orders.values()].at(-1)!;
		expect(await time.during(place())).toMatchObject({ order_id: order.id, repeated: true });
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('sends a cancel again under another key where it was acknowledged and came to nothing', async () => {
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
		const keys: unknown[] = [];
		const inFlight = createInFlightIntents();
		const { order_id } = await quickClient(accountOf(sandbox)).order.create(resting);
		const commands = () => ({
			command: async (action: CommandAck['action'], { idempotency_key }: Readonly<Record<string, unknown>>) => {
				keys.push(idempotency_key);
				return { action, data: { order_id, status: 'cancelling' } };
			},
		});
		const cancel = () =>
			quickClient(accountOf(sandbox), { commands, inFlight }).order.cancel(
				{ pair_id: 'USD/NGN', order_id: String(order_id) },
				{ intent: 'stop' },
			);
		for (let times = 0; times < 3; times += 1) expect(await cancel()).toMatchObject({ status: 'accepted' });
		expect(new Set(keys).size).toBe(3);
		sandbox.engine.apply({
			...{ kind: 'order_cancel', accountId: 'trader', key: 'elsewhere', fingerprint: '' },
			fields: { pair_id: 'USD/NGN', order_id: String(order_id) },
		});
		expect(await cancel()).toMatchObject({ status: 'cancelled' });
		expect(keys).toHaveLength(3);
	});
});
