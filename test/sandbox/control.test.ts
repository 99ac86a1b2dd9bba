import {
	control,
	create,
	limit,
	listenTo,
	place,
	sandboxFor,
	sandboxForEach,
	subscribe,
	type Json,
} from './connection';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/condition';
import { VERSION } from '../../packages/sandbox/src/version';

const sandbox = sandboxForEach();

describe('the control', () => {
	it('shows accounts, keys, books and addresses over the control', async () => {
		const order = await place(sandbox);
		const { status, json } = await control(sandbox, 'GET state');
		expect(status).toBe(200);
		expect(json).toMatchObject({ ready: true, baseUrl: sandbox.baseUrl, wsUrl: sandbox.wsUrl, production: false });
		expect(json.accounts![0]).toMatchObject({
			email: 'trader@sandbox.test',
			open_orders: 1,
			orders: [{ id: order.id }],
		});
		const [key] = (json as unknown as { keys: Json[] }).keys;
		expect(key).toMatchObject({ key: 'sandbox-key', email: 'trader@sandbox.test', active: true });
		expect(json.markets![0]!.book!.bids).toHaveLength(1);
	});

	it('moves a virtual clock, and refuses to move a real one', async () => {
		expect((await control(sandbox, 'POST clock', { advance_ms: 60_000 })).json).toEqual({
			now: '2026-01-01T00:01:00.000Z',
			clock_advance: null,
		});
		expect((await control(sandbox, 'POST clock', { advance_ms: -1 })).status).toBe(400);
		const real = await sandboxFor({ clock: 'real' });
		expect((await control(real, 'POST clock', { advance_ms: 1 })).json.error!.message).toContain('virtual');
	});

	it('changes settings and keys, and refuses unknown ones', async () => {
		expect((await control(sandbox, 'POST settings', { orderDelayMs: 1_000 })).status).toBe(200);
		expect((await place(sandbox)).status).toBe('pending');
		expect((await control(sandbox, 'POST keys', { key: 'sandbox-key', active: false })).status).toBe(200);
		expect((await create(sandbox, limit())).status).toBe(401);
		expect((await control(sandbox, 'POST keys', { key: 'sandbox-key', access: ['everything'] })).status).toBe(400);
		expect((await control(sandbox, 'POST keys', {})).status).toBe(400);
	});
});

describe('the clock', () => {
	it('moves an hour of the seeded market in slices: streams stay up, requests are answered, progress is reported', async () => {
		const sandbox = await sandboxFor({ marketMaker: true });
		const line = await listenTo(sandbox);
		await subscribe(line, ['trades.USD_NGN', 'orderbook.USD_NGN']);
		const done = control(sandbox, 'POST clock', { advance_ms: 3_600_000 });
		const during = await until(
			async () => {
				const { json } = await control(sandbox, 'GET state');
				return json.clock_advance ? json : undefined;
			},
			{ what: 'the progress of the clock' },
		);
		expect(during.clock_advance).toEqual({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' });
		const second = await control(sandbox, 'POST clock', { advance_ms: 1 });
		expect([second.status, second.json.error?.code]).toEqual([409, 'clock_moving']);
		expect((await done).json).toEqual({ now: '2026-01-01T01:00:00.000Z', clock_advance: null });
		const { trades, candles } = sandbox.engine.state.markets.get('USD/NGN')!;
		const last = trades.at(-1)!.sequence;
		const isLast = ({ topic, data }: Json) => topic === 'trades.USD_NGN' && Number(data?.sequence) === last;
		await line.hears(isLast, 'the last trade');
		const seqs = line.heard.filter(({ topic }) => topic === 'trades.USD_NGN').map(({ seq }) => Number(seq));
		expect(seqs).toEqual(Array.from({ length: last }, (_, index) => index + 1));
		expect(line.closed()).toBe(false);
		const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1, 1)];
		expect(candles['1h'].filter(({ at }) => at >= start && at < end)).toHaveLength(1);
	});
});

describe('the list of routes', () => {
	/** A body that each route accepts. */
	const bodies: Record<string, object> = {
		'POST faults': { kind: 'refuse', operation: 'market.list' },
		'DELETE faults': {},
		'POST scenarios': { name: 'quiet-market' },
		'DELETE scenarios': { name: 'quiet-market' },
		'POST clock': { advance_ms: 10 },
		'POST settings': { orderDelayMs: 5 },
		'POST markets': { pair_id: 'USD/NGN', trading: true },
		'POST keys': { key: 'another-key' },
		'POST orders': { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1400.00' },
		'POST transactions': { type: 'deposit', currency: 'USD', amount: '5.00' },
		'POST reset': {},
	};
	const queries: Record<string, string> = { 'GET candles': '?pair_id=USD%2FNGN&interval=1m' };

	it('lists every route, and each answers', async () => {
		const sandbox = await sandboxFor({ marketMaker: true });
		const { json } = await control(sandbox, 'GET routes');
		const { routes } = json as unknown as { routes: { name: string }[] };
		for (const { name } of routes) {
			const body =
				name === 'DELETE orders'
					? { pair_id: 'USD/NGN', order_id: (await place(sandbox, { price: '1300.00' })).id }
					: bodies[name];
			const answer = await control(sandbox, `${name}${queries[name] ?? ''}`, body);
			expect([name, answer.status, answer.json.error?.message]).toEqual([name, 200, undefined]);
		}
		const names = routes.map(({ name }) => name);
		expect(names).toHaveLength(new Set(names).size);
		expect(names.length).toBeGreaterThan(18);
	});

	it('carries the version of the package in OpenAPI', async () => {
		const manifest = JSON.parse(
			readFileSync(join(__dirname, '..', '..', 'packages', 'sandbox', 'package.json'), 'utf8'),
		) as { version: string };
		expect(VERSION).toBe(manifest.version);
		expect((await control(sandbox, 'GET health')).json).toEqual({ status: 'ok', version: VERSION });
	});
});

describe('what a person does at the console', () => {
	it('records what a person places, cancels and deposits at the console, with the fault that struck', async () => {
		const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '2.00', price: '1400.00' };
		const placed = (await control(sandbox, 'POST orders', order)).json;
		sandbox.advance(10);
		expect(
			(await control(sandbox, 'DELETE orders', { pair_id: 'USD/NGN', order_id: placed.order_id })).json.status,
		).toBe('cancelling');
		sandbox.advance(10);
		const closed = (await control(sandbox, 'GET orders?limit=1')).json;
		expect([closed.count, closed.orders![0]!.id]).toEqual([1, placed.order_id]);
		expect(
			(await control(sandbox, 'POST transactions', { type: 'withdrawal', currency: 'NGN', amount: '10.00' })).json,
		).toMatchObject({ status: 'pending', amount: '10.00', rail: 'fiat' });
		expect((await control(sandbox, 'POST orders', { ...order, quantity: '2.001' })).json.error!.message).toContain(
			'quantity',
		);
		sandbox.faults.arm({ kind: 'commit-then-502', operation: 'order.create', times: 3 });
		await create(sandbox, limit({ client_order_id: 'looked-at' }));
		const { json } = await control(sandbox, 'GET state');
		const [latest] = (json as unknown as { recent_requests: Json[] }).recent_requests;
		const { requests } = (await control(sandbox, `GET requests?id=${String(latest!.id)}`)).json;
		expect(requests![0]).toMatchObject({
			answer: 502,
			fault: { kind: 'commit-then-502', times: 3 },
			email: 'trader@sandbox.test',
		});
		expect(String(requests![0]!.body)).toContain('looked-at');
		expect(String(requests![0]!.answerBody)).toContain('Bad Gateway');
	});
});
