import type { OperationId } from '@partner-exchange/core/catalogue';
import { scenarios } from '@partner-exchange/sandbox';
import { faultTexts } from '../../packages/sandbox/src/server/faults';
import { until } from '../support/condition';
import {
	ask,
	command,
	control,
	create,
	eventsOf,
	limit,
	listenTo,
	place,
	sandboxForEach,
	subscribe,
} from './connection';

const sandbox = sandboxForEach();

const headers = { 'idempotency-key': 'fault-key' };
const orders = async (sandbox: Parameters<typeof ask>[0]) =>
	(await ask(sandbox, 'GET /partner/exchange/orders')).json.data!.count;
const outcome = (answer: Promise<{ status: number }>) =>
	answer.then(
		({ status }) => status,
		() => 'no answer' as const,
	);

describe('a fault', () => {
	it('commits and drops the reply exactly as often as armed, and logs it', async () => {
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create', idempotencyKey: 'fault-key', times: 2 });
		expect(await outcome(create(sandbox, limit(), { headers: { 'idempotency-key': 'another' } }))).toBe(201);
		expect(await outcome(create(sandbox, limit(), { headers }))).toBe('no answer');
		expect(await outcome(create(sandbox, limit(), { headers }))).toBe('no answer');
		expect(await outcome(create(sandbox, limit(), { headers }))).toBe(201);
		expect(await orders(sandbox)).toBe(2);
		expect(sandbox.faults.fired.map(({ kind, operation }) => [kind, operation])).toEqual([
			['commit-then-drop', 'order.create'],
			['commit-then-drop', 'order.create'],
		]);
	});

	it.each([
		[{ route: 'POST /partner/exchange/orders' }, [503, 200]],
		[{ operation: 'market.list' as const }, [201, 503]],
		[{ apiKey: 'sandbox-key-second' }, [201, 200]],
		[{ after: 1 }, [201, 503]],
		[{}, [503, 200]],
	])('strikes a fault armed with %j there and only once', async (where, expected) => {
		sandbox.faults.arm({ kind: 'refuse', ...where });
		expect([
			await outcome(create(sandbox, limit())),
			await outcome(ask(sandbox, 'GET /partner/exchange/markets')),
		]).toEqual(expected);
	});

	it.each([
		['refuse', 503, 0],
		['drop-before-commit', 'no answer', 0],
		['truncate', 'no answer', 1],
		['html-502', 502, 0],
		['commit-then-502', 502, 1],
		['server-error', 500, 0],
		['unauthorized', 401, 0],
		['forbidden', 403, 0],
		['conflict', 409, 0],
		['too-many-requests', 429, 0],
	] as const)('answers the fault %s with %s and leaves %i orders', async (kind, expected, left) => {
		sandbox.faults.arm({ kind, operation: 'order.create', retryAfter: '7' });
		expect(await outcome(create(sandbox, limit()))).toBe(expected);
		expect(await orders(sandbox)).toBe(left);
	});

	it.each(['sandbox.reset', 'order.resolve', 'stream.status', 'order.creat'])(
		'refuses to arm a fault against %s, which it could never strike',
		async (operation) => {
			const fault = { kind: 'refuse', operation: operation as OperationId } as const;
			expect(() => sandbox.faults.arm(fault)).toThrow('operation');
		},
	);

	it('sends the Retry-After a fault is given', async () => {
		sandbox.faults.arm({ kind: 'too-many-requests', retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' });
		sandbox.faults.arm({ kind: 'too-many-requests' });
		expect((await create(sandbox, limit())).headers.get('retry-after')).toBe('Wed, 21 Oct 2015 07:28:00 GMT');
		expect((await create(sandbox, limit())).headers.get('retry-after')).toBeNull();
	});

	it('commits a command and drops the connection before its acknowledgement', async () => {
		const line = await listenTo(sandbox, 'sandbox-key');
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create', idempotencyKey: 'the-request' });
		line.send({ type: 'command', request_id: 'the-request', action: 'order_create', ...limit() });
		await until(line.closed, { what: 'the connection to close' });
		expect(line.heard).toEqual([]);
		expect(await orders(sandbox)).toBe(1);
	});

	it.each([
		['skip-event', [2, 3, 4]],
		['duplicate-event', [1, 1, 2, 3, 4]],
		['reorder-events', [2, 1, 3, 4]],
	] as const)('changes with the fault %s what one topic delivers', async (kind, expected) => {
		const line = await listenTo(sandbox, 'sandbox-key');
		await subscribe(line, ['user.orders', 'orderbook.USD_NGN']);
		sandbox.faults.arm({ kind, topic: 'user.orders' });
		await place(sandbox);
		await place(sandbox);
		await line.hears(({ topic, seq }) => topic === 'user.orders' && Number(seq) === 4, 'the last event');
		expect(eventsOf(line, 'user.orders').map(({ seq }) => seq)).toEqual(expected);
	});

	it('drops, silences and refuses streams', async () => {
		const [silenced, dropped] = [await listenTo(sandbox, 'sandbox-key-second'), await listenTo(sandbox, 'sandbox-key')];
		sandbox.faults.arm({ kind: 'silence-stream', apiKey: 'sandbox-key-second' });
		sandbox.faults.arm({ kind: 'drop-stream', apiKey: 'sandbox-key' });
		await until(dropped.closed, { what: 'the connection to close' });
		silenced.send({ type: 'ping' });
		sandbox.faults.arm({ kind: 'refuse-stream' });
		await expect(listenTo(sandbox)).rejects.toThrow('503');
		expect([silenced.closed(), silenced.heard]).toEqual([false, []]);
	});

	it('refuses an unknown fault over the control by name', async () => {
		expect((await control(sandbox, 'POST faults', { kind: 'meteor' })).status).toBe(400);
		const armed = await control(sandbox, 'POST faults', { kind: 'html-502', operation: 'wallet.banks' });
		expect(armed.status).toBe(200);
		expect((await ask(sandbox, 'GET /partner/wallets/fiat/banks', { key: null })).text).toContain('<html>');
		expect((await control(sandbox, 'GET faults')).json.kinds).toEqual(faultTexts);
	});
});

describe('a scenario', () => {
	it('lists every scenario with words for people, and refuses an unknown one', async () => {
		const { json } = await control(sandbox, 'GET scenarios');
		expect(json.scenarios!.map(({ name }) => name)).toEqual(Object.keys(scenarios));
		expect((await control(sandbox, 'POST scenarios', { name: 'apocalypse' })).status).toBe(400);
		const line = await listenTo(sandbox, 'sandbox-key');
		expect(await command(line, { action: 'order_cancel', order_id: 'x' })).toMatchObject({ code: 'VALIDATION_FAILED' });
	});
});
