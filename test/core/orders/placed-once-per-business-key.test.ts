import type { ServerResponse } from 'node:http';
import { createAccountLimits, createAccountMemory } from '@partner-exchange/core';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { failure, success, useWire } from '../../support/wire';
import { forEach } from '../../support/opened';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

describe('a business key places one order', () => {
	// The service forgets its keys at once, as it may between two runs.
	const sandbox = forEach(() => startSandbox({ settings: { orderDelayMs: 0, keyRetentionMs: 0 } }));

	const options = { business_key: 'invoice 7' };
	const client = (host = {}) => quickClient(accountOf(sandbox), host);

	it('places one order per business key whatever client order ID comes with it, also in another process', async () => {
		const memory = createAccountMemory();
		const first = await client({ memory }).order.create({ ...resting, client_order_id: 'run 1' }, { options });
		const same = await client({ memory }).order.create({ ...resting, client_order_id: 'run 2' }, { options });
		const other = await client().order.create({ ...resting, client_order_id: 'run 3' }, { options });
		const bare = await client().order.create(resting, { options });
		expect(ordersIn(sandbox)).toHaveLength(1);
		const clientOrderId = ordersIn(sandbox)[0]!.clientOrderId!;
		expect(clientOrderId).toMatch(/_run 1$/);
		expect(clientOrderId).toMatch(UUID);
		for (const again of [same, other, bare])
			expect(again).toMatchObject({ order_id: first.order_id, client_order_id: clientOrderId, repeated: true });
	});

	it('places one order for one invoice number, also where it was typed with a space behind it, or two inside', async () => {
		const { order_id } = await client().order.create(resting, { options });
		for (const business_key of ['invoice 7 ', 'invoice  7'])
			expect(await client().order.create(resting, { options: { business_key } })).toMatchObject({
				...{ order_id, business_key: 'invoice 7', repeated: true },
			});
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it.each([{ quantity: '10' }, { quantity: '10.0' }, { price: '1400' }])(
		'gives the order of the key to a call that writes its amounts as %j, in the same process and in another',
		async (written) => {
			const memory = createAccountMemory();
			const first = { ...resting, quantity: '10.00', price: '1400.00' };
			const again = { ...first, ...written };
			const { order_id } = await client({ memory }).order.create(first, { options });
			for (const host of [{ memory }, {}])
				expect(await client(host).order.create(again, { options })).toMatchObject({ order_id, repeated: true });
			expect(ordersIn(sandbox)).toHaveLength(1);
		},
	);

	it('refuses another quantity under the key of a filled order, also one that its filled quantity would make up', async () => {
		const bought = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' } as const;
		const final = { options: { ...options, wait: 'final' } } as const;
		await quickClient(accountOf(sandbox, 'sandbox-key-second')).order.create({ ...resting, side: 'sell' });
		await client().order.create(bought, final);
		for (const quantity of ['20.00', '5.00', '10.01'])
			expect(await errorOf(client().order.create({ ...bought, quantity }, final))).toMatchObject({ code: 'conflict' });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('finds the order of a business key by the client order ID that was sent', async () => {
		const { client_order_id } = await client().order.create({ ...resting, client_order_id: 'run 1' }, { options });
		for (const name of [client_order_id, UUID.exec(String(client_order_id))![0]])
			expect(await client().order.resolve({ client_order_id: String(name) })).toMatchObject({ outcome: 'accepted' });
		const again = { ...resting, client_order_id: String(client_order_id) };
		expect(await client().order.create(again, { options })).toMatchObject({ client_order_id, repeated: true });
	});

	it('refuses an idempotency key beside a business key before any request', async () => {
		const refused = await errorOf(
			client().order.create({ ...resting, pair_id: 'usd/ngn', idempotency_key: 'run 1' }, { options }),
		);
		expect(refused).toMatchObject({ code: 'invalid_input', field: 'idempotency_key' });
		expect(refused.message).toContain('not both');
		expect(sandbox.requests).toHaveLength(0);
		const { idempotency_key } = await client().order.create(resting, { options });
		const again = { ...resting, idempotency_key: String(idempotency_key) };
		expect(await client().order.create(again, { options })).toMatchObject({ repeated: true });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('replaces an order once per business key, whatever is given beside it', async () => {
		const { order_id } = await client().order.create(resting);
		const input = { pair_id: 'USD/NGN', order_id: String(order_id), quantity: '12.00', price: '1390.00' };
		const commands = () => ({
			command: async (action: string, fields: Readonly<Record<string, unknown>>) => {
				const made = sandbox.engine.apply({
					kind: 'order_replace',
					accountId: 'trader',
					fields,
					key: String(fields.idempotency_key),
					fingerprint: '',
				} as never) as unknown as { id: string };
				void made;
				const replacement = ordersIn(sandbox).at(-1)!;
				return { action, data: { original_order_id: order_id, new_order_id: replacement.id, status: 'replacing' } };
			},
		});
		const replace = (client_order_id: string) =>
			client({ commands }).order.replace({ ...input, client_order_id }, { options });
		const first = await replace('run 1');
		expect(await replace('run 2')).toMatchObject({ new_order_id: first.new_order_id });
		expect(ordersIn(sandbox)).toHaveLength(2);
	});

	it('holds a business key to the value limits with every correction of a refused order', async () => {
		const limits = createAccountLimits({ elapsed: () => 0 }, { valuePerDay: '20000' });
		const corrected = { ...resting, quantity: '90000.00' };
		const memory = createAccountMemory();
		const unchecked = { ...options, check_market: false };
		const wrong = await errorOf(
			client({ limits, memory }).order.create({ ...resting, quantity: '1.001' }, { options: unchecked }),
		);
		expect(wrong.code).toBe('refused');
		const refused = await errorOf(client({ limits, memory }).order.create(corrected, { options: unchecked }));
		expect(refused).toMatchObject({ code: 'limit_reached', details: { rule: 'valuePerDay' } });
		expect(ordersIn(sandbox)).toHaveLength(0);
	});

	it('accepts no order of another time in force for a business key', async () => {
		const first = await client().order.create({ ...resting, time_in_force: 'GTC' }, { options });
		const other = await errorOf(client().order.create({ ...resting, time_in_force: 'POST_ONLY' }, { options }));
		expect(other).toMatchObject({ code: 'conflict', details: { order_id: first.order_id } });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});
});

describe('a service that shows a name cut short', () => {
	const { wire } = useWire();

	it.each([
		[20, undefined],
		[32, undefined],
		[36, 'the order of the shop in Ikeja, 28 November'],
		[40, 'the order of the shop in Ikeja, 28 November'],
	])('places one order per business key, and resolves it, where names are cut to %i characters', async (most, name) => {
		const order = { ...resting, id: 'order-1', status: 'accepted' };
		const wanted = { ...resting, ...(name === undefined ? {} : { client_order_id: name }) };
		const rows = () =>
			wire.calls('POST /partner/exchange/orders').map(({ body }) => {
				const { client_order_id } = JSON.parse(body) as { client_order_id: string };
				return { ...order, client_order_id: client_order_id.slice(0, most) };
			});
		const answer = (response: ServerResponse, data: unknown) =>
			void response.end(JSON.stringify({ status: 'success', data }));
		wire.on('POST /partner/exchange/orders', success({ order_id: order.id, status: 'pending' }));
		wire.on('GET /partner/exchange/orders', (_, response) =>
			answer(response, { count: rows().length, orders: rows() }),
		);
		wire.on(`GET /partner/exchange/orders/${order.id}`, (_, response) => answer(response, rows()[0]));
		const options = { business_key: 'invoice 7', check_market: false };
		const { client_order_id } = await quickClient(wire.account).order.create(wanted, { options });
		expect(await quickClient(wire.account).order.create(wanted, { options })).toMatchObject({
			order_id: order.id,
			repeated: true,
		});
		const client = quickClient(wire.account);
		const asked = { client_order_id: String(client_order_id), not_before: '2020-01-01T00:00:00Z' };
		for (const _ of ['the list is read', 'the list is known'])
			expect(await client.order.resolve(asked, { options: { wait_certain: true } })).toMatchObject({
				outcome: 'accepted',
			});
		expect(wire.calls('POST /partner/exchange/orders')).toHaveLength(1);
	});
});

describe('a service whose order list shows no names', () => {
	const { wire } = useWire();

	it.each<[string, object]>([
		['leaves them out', {}],
		['has null in their place', { client_order_id: null }],
		['has an empty text in their place', { client_order_id: '' }],
	])('places an order once per business key and calls none "not found" where the list %s', async (_, name) => {
		const order = { ...resting, id: 'order-1', status: 'filled', ...name };
		wire.on('POST /partner/exchange/orders', success({ order_id: order.id, status: 'pending' }));
		wire.on('GET /partner/exchange/orders', ({ url = '' }, response) => {
			const count = Math.min(1, wire.calls('POST /partner/exchange/orders').length);
			const orders = count > 0 && /offset=0/.test(url) ? [order] : [];
			response.end(JSON.stringify({ status: 'success', data: { count, orders } }));
		});
		const options = { business_key: 'invoice 7', check_market: false };
		const { client_order_id } = await quickClient(wire.account).order.create(resting, { options });
		const client = quickClient(wire.account);
		const wanted = { client_order_id: String(client_order_id), not_before: '2020-01-01T00:00:00Z' };
		for (const __ of ['the list is read', 'the list is known']) {
			const again = await errorOf(client.order.create(resting, { options }));
			expect(again).toMatchObject({
				code: 'outcome_unknown',
				message: expect.stringContaining('sent nothing') as string,
			});
			const unshown = await errorOf(client.order.resolve(wanted));
			expect(unshown).toMatchObject({
				code: 'limit_reached',
				message: expect.stringContaining('no client order IDs') as string,
			});
		}
		const other = await client.order.create(
			{ ...resting, quantity: '11.00' },
			{ options: { ...options, business_key: 'invoice 8' } },
		);
		expect(other).toMatchObject({ order_id: order.id });
		expect(wire.calls('POST /partner/exchange/orders')).toHaveLength(2);
	});
});

describe('a name whose order cannot be looked for', () => {
	const { wire } = useWire();

	it.each([
		['a message', { message: 'The list is not available now' }],
		['the answer to another request', { order_id: 'order-9', status: 'pending', created_at: '2026-01-31T00:00:00Z' }],
		['text in the place of the orders', { count: 3, orders: 'see page 2' }],
	])('does not treat a successful answer that holds %s as a list without the order', async (_, data) => {
		wire.on('GET /partner/exchange/orders', success(data));
		const options = { business_key: 'invoice 7', check_market: false };
		const error = await errorOf(quickClient(wire.account).order.create(resting, { options }));
		expect(error).toMatchObject({ code: 'outcome_unknown', details: { cause: 'malformed_response' } });
		expect(wire.calls('POST /partner/exchange/orders')).toEqual([]);
		const wanted = { client_order_id: 'mine', not_before: '2020-01-01T00:00:00Z' };
		expect(await errorOf(quickClient(wire.account).order.resolve(wanted))).toMatchObject({
			code: 'malformed_response',
		});
	});

	it.each([
		['as null', { count: 0, orders: null }],
		['as its count alone', { count: 0 }],
	])('reads an empty list written %s as an empty list', async (_, data) => {
		wire.on('GET /partner/exchange/orders', success(data));
		wire.on('POST /partner/exchange/orders', success({ order_id: 'order-1', status: 'pending' }));
		const options = { business_key: 'invoice 7', check_market: false };
		expect(await quickClient(wire.account).order.create(resting, { options })).toMatchObject({ order_id: 'order-1' });
	});

	it.each([
		[401, 'unauthorized'],
		[403, 'forbidden'],
		[503, 'unavailable'],
	])('leaves the order of a business key unknown after status %i, and sends nothing', async (status, cause) => {
		wire.on('GET /partner/exchange/orders', failure(status, {}));
		const memory = createAccountMemory();
		const place = () =>
			quickClient(wire.account, { memory }).order.create(resting, {
				options: { business_key: 'invoice 7', check_market: false },
			});
		const error = await errorOf(place());
		expect(error).toMatchObject({ code: 'outcome_unknown', details: { cause, business_key: 'invoice 7' } });
		expect(error.message).toContain('this run sent nothing');
		expect(wire.calls('POST /partner/exchange/orders')).toEqual([]);
		// Once it can be looked for, it goes on as any other order.
		wire.on('GET /partner/exchange/orders', success({ count: 0, orders: [] }));
		wire.on('POST /partner/exchange/orders', success({ order_id: 'order-1', status: 'pending' }));
		const placed = await place();
		expect(placed).toMatchObject({ order_id: 'order-1' });
		expect(placed).not.toHaveProperty('repeated');
	});
});
