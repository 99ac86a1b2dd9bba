import type { ExchangeError, Item, Progress } from '@partner-exchange/core';
import type { Options } from '@partner-exchange/core/catalogue';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, quickClient, resting, streamingClient } from '../../support/placing';
import { drop, failure, success, useWire, type Answer } from '../../support/wire';

const CREATE = 'POST /partner/exchange/orders';
const ORDER = 'GET /partner/exchange/orders/order-1';

const order = (status: string, more: Item = {}): Answer =>
	success({ id: 'order-1', status, filled_quantity: '0.00', ...more });

describe('waiting for an order', () => {
	const { wire } = useWire();

	beforeEach(() => {
		wire.on(CREATE, success({ order_id: 'order-1', status: 'pending', created_at: '2026-01-31T00:00:00.000Z' }));
		wire.on('GET /partner/exchange/markets', success({ markets: [] }));
	});

	const create = async (options: Options & { wait: 'accepted' | 'final' }, more = {}): Promise<Item> => {
		const client = quickClient(wire.account);
		return { ...(await client.order.create(resting, { intent: 'a', options, ...more })), slept: client.waited };
	};

	const problemOf = async (...args: Parameters<typeof create>): Promise<ExchangeError> =>
		await create(...args).then(
			(item) => Promise.reject(new Error(`it answered ${JSON.stringify(item)}`)),
			(error: ExchangeError) => error,
		);

	it.each(['accepted', 'final'] as const)(
		'waits until %s, and ends in an error when the order is rejected',
		async (wait) => {
			wire.on(ORDER, order('rejected', { rejection_reason: 'Not enough NGN' }));
			const problem = await problemOf({ wait });
			expect(problem).toMatchObject({
				code: 'rejected',
				retryable: false,
				details: {
					order_id: 'order-1',
					status: 'rejected',
					rejection: 'Not enough NGN',
					pair_id: 'USD/NGN',
					side: 'buy',
				},
			});
			expect(problem.message).toBe(
				'Create Order (order.create): No order was placed: the service took it and then rejected it: Not enough NGN. ' +
					'Correct what the reason names and place it as a new order.',
			);
			expect(wire.calls(ORDER)).toHaveLength(1);
		},
	);

	it('reports what an order is busy with: how often, for how long at most, and why again', async () => {
		const seen: Progress[] = [];
		const order = { order_id: 'order-1', status: 'pending', created_at: '2026-01-31T00:00:00.000Z' };
		wire.on(CREATE, drop, success(order));
		wire.on('GET /partner/exchange/orders', success({ count: 0, orders: [] }));
		wire.on(ORDER, success({ id: 'order-1', status: 'accepted' }));
		await create({ wait: 'accepted' }, { progress: (step: Progress) => seen.push(step) });
		expect(seen[0]).toMatchObject({ doing: 'sending', attempts: 1, lookups: 0, reason: undefined });
		const unanswered = { attempts: 1, reason: 'unavailable' };
		expect(seen).toContainEqual(expect.objectContaining({ doing: 'looking', lookups: 1, ...unanswered }));
		expect(seen).toContainEqual(expect.objectContaining({ doing: 'sending', attempts: 2 }));
		expect(seen.at(-1)).toMatchObject({ doing: 'waiting', attempts: 0 });
		for (const { limitMs } of seen) expect(limitMs).toBeGreaterThan(0);
		expect(seen.every(({ attempts, attemptsMax }) => attempts <= attemptsMax)).toBe(true);
	});

	it.each([1, 30])('reports an outcome as unknown after %d s where that is asked for', async (seconds) => {
		wire.on(CREATE, drop);
		wire.on('GET /partner/exchange/orders', failure(503, {}));
		const client = quickClient(wire.account);
		const problem = await client.order
			.create(resting, { intent: 'a', options: { unknown_after_seconds: seconds } })
			.catch((error: ExchangeError) => error);
		const waited = client.waited.reduce((sum, delay) => sum + delay, 0);
		expect(problem).toMatchObject({ code: 'outcome_unknown' });
		expect(waited).toBeLessThanOrEqual(seconds * 1_000 + 8_000);
	});

	it.each(['FILLED', 'Cancelled', 'canceled', ' filled '])(
		'stops waiting at %p as at the word of the interface, and tells it as the service wrote it',
		async (status) => {
			wire.on(ORDER, order('ACCEPTED'), order('Partially Filled'), order(status));
			expect(await create({ wait: 'final' })).toMatchObject({ status, wait: { reached: true } });
			expect(wire.calls(ORDER)).toHaveLength(3);
		},
	);

	it('takes an unknown status as open and shows it at the time limit', async () => {
		wire.on(ORDER, order('settling_slowly'));
		const item = await create({ wait: 'final', wait_seconds: 20 });
		expect(item).toMatchObject({ status: 'settling_slowly', wait: { reached: false, ended: 'time_limit' } });
		expect((item.slept as number[]).reduce((sum, delay) => sum + delay, 0)).toBe(20_000);
	});

	it('does not let an acknowledgement or an older reading take the order back', async () => {
		wire.on(
			ORDER,
			order('partially_filled', { filled_quantity: '4.00' }),
			order('accepted'),
			order('cancelled', { filled_quantity: '4.00' }),
		);
		expect(await create({ wait: 'final' })).toMatchObject({
			status: 'cancelled',
			filled_quantity: '4.00',
			wait: { stale_readings: 1 },
		});
	});

	it.each([
		['rejection_reason', { rejection_reason: 'Not enough NGN' }],
		['reason', { reason: 'Not enough NGN' }],
		['message', { message: 'Not enough NGN' }],
		['error.message', { error: { message: 'Not enough NGN' } }],
		['public_error', { public_error: 'Not enough NGN', error_code: 'E9' }],
		['rejectReason', { rejectReason: 'Not enough NGN' }],
	])('shows the public message of a rejected order from %s', async (_, fields) => {
		wire.on(ORDER, order('rejected', fields));
		expect(await create({ wait: 'final', fail_when: 'never' })).toMatchObject({
			status: 'rejected',
			rejection: 'Not enough NGN',
		});
	});

	it.each([
		[{ reject_reason: ['Not enough NGN.', 'Too late'] }, 'Not enough NGN; Too late'],
		[{ rejection: { code: 'E9', errors: { quantity: 'Too small' } } }, 'quantity: Too small'],
		[{ reason: 'Refused', error: { message: 'Not enough NGN' } }, 'Refused; Not enough NGN'],
		[{ reject_reason: 7 }, '7'],
		[{ reject_reason: [], message: '' }, 'The service gave no reason'],
	])('tells every reason of a rejected order: %j', async (fields, rejection) => {
		wire.on(ORDER, order('rejected', fields));
		expect(await create({ wait: 'final', fail_when: 'never' })).toMatchObject({ rejection });
	});

	it('reports the reason the sandbox gives for a rejected order', async () => {
		const sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
		const costly = { ...resting, quantity: '90000.00', price: '1499.00' };
		const placing = quickClient(accountOf(sandbox)).order.create(costly, { options: { wait: 'final' } });
		await expect(placing).rejects.toMatchObject({
			code: 'rejected',
			details: { rejection: expect.stringContaining('funds') },
		});
		await sandbox.close();
	});

	it('returns a finished order as it is when the same intent runs again', async () => {
		wire.on(ORDER, order('filled', { filled_quantity: '10.00' }));
		const client = quickClient(wire.account);
		const options = { wait: 'final' } as const;
		await client.order.create(resting, { intent: 'a', options });
		expect(await client.order.create(resting, { intent: 'a', options })).toMatchObject({
			order_id: 'order-1',
			status: 'filled',
			repeated: true,
		});
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it("keeps an order's own names beside the progress of the order that replaced it", async () => {
		const progress = { status: 'filled', quantity: '30.00', filled_quantity: '30.00', price: '1400.00' };
		wire.on(ORDER, order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(
			'GET /partner/exchange/orders/order-2',
			success({ id: 'order-2', created_at: 'later', client_order_id: 'theirs', ...progress }),
		);
		const item = await create({ wait: 'final' });
		const own = { order_id: 'order-1', created_at: '2026-01-31T00:00:00.000Z', replaced_by_order_id: 'order-2' };
		expect(item).toMatchObject({ ...own, ...progress });
		expect(item.client_order_id).not.toBe('theirs');
		expect(item).not.toHaveProperty('id');
	});

	it('looks again when a new order is not found at first', async () => {
		wire.on(ORDER, failure(404, {}), failure(404, {}), order('accepted'));
		expect(await create({ wait: 'accepted' })).toMatchObject({ status: 'accepted', wait: { reached: true } });
		wire.on(ORDER, failure(404, {}));
		const item = await create({ wait: 'accepted', wait_seconds: 5 }, { intent: 'b' });
		expect(item).toMatchObject({
			order_id: 'order-1',
			status: 'pending',
			wait: { ended: 'time_limit', problem: expect.any(String) as string },
		});
	});

	it('ends a wait at once where the key may not read orders, and says so', async () => {
		wire.on(ORDER, failure(403, {}));
		expect(await create({ wait: 'final' })).toMatchObject({
			order_id: 'order-1',
			wait: { reached: false, ended: 'unreadable' },
		});
		expect(wire.calls(ORDER)).toHaveLength(1);
	});

	it('ends a stopped wait with what it has', async () => {
		const abort = new AbortController();
		wire.on(ORDER, (_, response) => {
			setImmediate(() => abort.abort());
			response.end(JSON.stringify({ status: 'success', data: { id: 'order-1', status: 'accepted' } }));
		});
		const item = await create({ wait: 'final', wait_seconds: 3600 }, { signal: abort.signal });
		expect(item).toMatchObject({ order_id: 'order-1', wait: { reached: false, ended: 'stopped' } });
	});

	it('learns the end of an order from the stream, without any reading in between', async () => {
		const sandbox = await startSandbox({ settings: { orderDelayMs: 300 } });
		// The client's pauses never end by themselves, so only the stream can end them.
		const standing = { now: () => 0, elapsed: () => 0, after: () => () => undefined };
		const { client, stream } = streamingClient(accountOf(sandbox), standing);
		await stream.subscribe({ topics: ['user.orders'], deliver: () => Promise.resolve() }).ready;
		const item = await client.order.create(resting, { options: { wait: 'accepted' } });
		expect(item).toMatchObject({ status: 'accepted', wait: { reached: true } });
		await stream.close();
		await sandbox.close();
	});
});
