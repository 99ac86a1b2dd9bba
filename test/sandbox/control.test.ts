import { create, limit, place, sandboxFor, type Json } from './connection';
import type { Sandbox } from '@partner-exchange/sandbox';

async function control(sandbox: Sandbox, line: string, body?: object): Promise<{ status: number; json: Json }> {
	const [method, path] = line.split(' ') as [string, string];
	const headers = { 'content-type': 'application/json' };
	const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
		method,
		headers,
		body: body && JSON.stringify(body),
	});
	return { status: response.status, json: (await response.json()) as Json };
}

describe('the control', () => {
	it('shows accounts, keys, books, clients and addresses', async () => {
		const sandbox = await sandboxFor();
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

	it('moves a virtual clock, and says that a real one moves by itself', async () => {
		const sandbox = await sandboxFor();
		expect((await control(sandbox, 'POST clock', { advance_ms: 60_000 })).json).toEqual({
			now: '2026-01-01T00:01:00.000Z',
		});
		expect((await control(sandbox, 'POST clock', { advance_ms: -1 })).status).toBe(400);
		const real = await sandboxFor({ clock: 'real' });
		expect((await control(real, 'POST clock', { advance_ms: 1 })).json.error!.message).toContain('virtual');
	});

	it('resets to the opening state', async () => {
		const sandbox = await sandboxFor();
		await place(sandbox);
		await control(sandbox, 'POST reset');
		const { json } = await control(sandbox, 'GET state');
		expect(json.accounts![0]).toMatchObject({ open_orders: 0, orders: [] });
		expect((await control(sandbox, 'GET audit')).json.faults).toEqual([]);
	});

	it.each([
		[{ orderDelayMs: 'soon' }, 'orderDelayMs'],
		[{ orderDelayMs: -1 }, 'orderDelayMs'],
		[{ selfTrade: 'allow' }, 'cancel_taker'],
		[{ gravity: 1 }, 'no setting gravity'],
	])('refuses %j as settings, by name', async (settings, message) => {
		const sandbox = await sandboxFor();
		const { status, json } = await control(sandbox, 'POST settings', settings);
		expect(status).toBe(400);
		expect(json.error!.message).toContain(message);
	});

	it('changes settings and keys, and refuses odd ones', async () => {
		const sandbox = await sandboxFor();
		expect((await control(sandbox, 'POST settings', { orderDelayMs: 1_000 })).status).toBe(200);
		expect((await place(sandbox)).status).toBe('pending');
		expect((await control(sandbox, 'POST keys', { key: 'sandbox-key', active: false })).status).toBe(200);
		expect((await create(sandbox, limit())).status).toBe(401);
		expect((await control(sandbox, 'POST keys', { key: 'sandbox-key', access: ['everything'] })).status).toBe(400);
		expect((await control(sandbox, 'POST keys', {})).status).toBe(400);
	});

	it('halts a market and lets it go on', async () => {
		const sandbox = await sandboxFor();
		await control(sandbox, 'POST markets', { pair_id: 'USD/NGN', trading: false });
		expect((await place(sandbox)).status).toBe('rejected');
		await control(sandbox, 'POST markets', { pair_id: 'USD/NGN', trading: true });
		expect((await place(sandbox)).status).toBe('accepted');
		expect((await control(sandbox, 'POST markets', { pair_id: 'EUR/NGN', trading: true })).status).toBe(404);
	});
});
