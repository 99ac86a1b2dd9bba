import { operationOf } from '@partner-exchange/core/catalogue';
import { until } from '../support/condition';
import { ask, balance, create, limit, place, read, sandboxFor, sandboxForEach, type Asking } from './connection';

const sandbox = sandboxForEach();

describe('creating an order', () => {
	it.each([
		'{"quantity":10}',
		'{"quantity":1e1}',
		'{"quantity":"1e1"}',
		'{"quantity":"-1"}',
		'{"quantity":"0"}',
		'{"quantity":"1.001"}',
		'{"quantity":""}',
		'{"quantity":" 1"}',
		'{"quantity":"１"}',
	])('refuses %s as quantity', async (json) => {
		const body = JSON.stringify(limit()).replace('"quantity":"10.00"', json.slice(1, -1));
		expect((await create(sandbox, body)).status).toBe(400);
		expect((await balance(sandbox, 'NGN')).locked).toBe('0.00');
	});

	it('ignores price and time_in_force of a market order, which behaves as IOC', async () => {
		await place(sandbox, { side: 'sell', quantity: '4.00' }, 'sandbox-key-second');
		const order = await place(sandbox, { order_type: 'market', price: 'garbage', time_in_force: 'nonsense' });
		expect(order).toMatchObject({ status: 'cancelled', filled_quantity: '4.00', time_in_force: 'IOC', price: null });
	});

	it.each([
		[{ order_type: 'stop' }],
		[{ side: 'hold' }],
		[{ time_in_force: 'DAY' }],
		[{ pair_id: 'EUR/NGN' }],
		[{ pair_id: '__proto__' }],
		[{ price: undefined }],
		[{ price: '0' }],
	])('refuses %j and locks nothing', async (fields) => {
		const { status, json } = await create(sandbox, limit(fields));
		expect([400, 404]).toContain(status);
		expect(json.error!.message).toMatch(/\w/);
		expect((await balance(sandbox, 'NGN')).locked).toBe('0.00');
		expect((await ask(sandbox, 'GET /partner/exchange/orders')).json.data!.count).toBe(0);
	});

	it.each(Object.keys(operationOf('order.create').input))(
		'refuses a %s of another kind, as it reads it',
		async (name) => {
			const { status } = await create(await sandboxFor(), limit({ [name]: { of: 'another kind' } }));
			expect(status).toBe(name === 'pair_id' ? 404 : 400);
		},
	);

	it('refuses a header key and a body key that differ', async () => {
		const headers = { 'idempotency-key': 'one' };
		expect((await create(sandbox, limit({ idempotency_key: 'two' }), { headers })).status).toBe(400);
		expect((await create(sandbox, limit({ idempotency_key: 'one' }), { headers })).status).toBe(201);
	});

	it('rejects an order beyond the funds afterwards, with a reason, and leaves the ledger alone', async () => {
		const before = await balance(sandbox, 'NGN');
		const { json } = await create(sandbox, limit({ quantity: '1000000.00' }));
		expect(json.data!.status).toBe('pending');
		sandbox.advance(10);
		expect(await read(sandbox, json.data!.order_id!)).toMatchObject({
			status: 'rejected',
			filled_quantity: '0.00',
			reject_reason: 'Available funds do not cover the order.',
		});
		expect(await balance(sandbox, 'NGN')).toEqual(before);
	});
});

describe('the idempotency key', () => {
	const headers = { 'idempotency-key': 'key' };

	it('repeats the stored answer for the same body, however it is written, and answers 409 to another body', async () => {
		const first = await create(sandbox, limit(), { headers });
		const again = await create(
			sandbox,
			'{ "price":"1500.00",  "quantity":"10.00","order_type":"limit","side":"buy","pair_id":"USD/NGN", "client_order_id":null}',
			{ headers },
		);
		expect(again.text).toBe(first.text);
		expect(again.status).toBe(first.status);
		const other = await create(sandbox, limit({ quantity: '11.00' }), { headers });
		expect(other.status).toBe(409);
		expect((await ask(sandbox, 'GET /partner/exchange/orders')).json.data!.count).toBe(1);
	});

	it('answers 409 while the first request under the key is in flight, which still completes', async () => {
		sandbox.faults.arm({ kind: 'delay', operation: 'order.create', delayMs: 500 });
		const first = create(sandbox, limit(), { headers });
		await until(() => sandbox.faults.fired.length > 0, { what: 'the first request' });
		expect((await create(sandbox, limit(), { headers })).status).toBe(409);
		sandbox.advance(500);
		expect((await first).status).toBe(201);
		expect((await create(sandbox, limit(), { headers })).text).toBe((await first).text);
	});

	it('keeps idempotency keys of accounts apart', async () => {
		const first = await create(sandbox, limit(), { headers });
		const second = await create(sandbox, limit({ quantity: '3.00' }), { headers, key: 'sandbox-key-second' });
		expect([first.status, second.status]).toEqual([201, 201]);
	});

	it('stores no key of a request that ended with 401, 403, 429 or an invalid body', async () => {
		sandbox.faults.arm({ kind: 'too-many-requests', operation: 'order.create', after: 2 });
		const statuses = [];
		for (const asking of [{ key: 'nonsense' }, { key: 'sandbox-key-read' }, {}]) {
			statuses.push((await create(sandbox, limit({ price: '1490.00' }), { headers, ...asking })).status);
		}
		statuses.push((await create(sandbox, limit({ side: 'hold' }), { headers })).status);
		expect(statuses).toEqual([401, 403, 429, 400]);
		expect((await create(sandbox, limit(), { headers })).status).toBe(201);
	});

	it.each([
		['missing', undefined],
		['empty', ''],
		['10 kB', 'k'.repeat(10_000)],
	])('requires the idempotency key: %s is refused and stores nothing', async (_name, key) => {
		const asking: Asking = { body: limit(), headers: { ...(key !== undefined && { 'idempotency-key': key }) } };
		expect((await ask(sandbox, 'POST /partner/exchange/orders', asking)).status).toBe(400);
		expect((await ask(sandbox, 'GET /partner/exchange/orders')).json.data!.count).toBe(0);
	});
});
