import {
	ask,
	balance,
	command,
	create,
	limit,
	listenTo,
	place,
	read,
	sandboxFor,
	sandboxForEach,
	eventsOf,
	type Json,
} from './connection';

const sandbox = sandboxForEach();

describe('order commands', () => {
	it('makes one order of a command and a REST request under the same key, in either direction', async () => {
		const line = await listenTo(sandbox, 'sandbox-key');
		const { json } = await create(sandbox, limit(), { headers: { 'idempotency-key': 'shared' } });
		const byKey = await command(line, { ...limit(), action: 'order_create', idempotency_key: 'shared' });
		expect(byKey).toMatchObject({ type: 'command_ack', action: 'order_create', data: json.data });
		const byRequest = await command(line, { ...limit(), action: 'order_create', request_id: 'shared-too' });
		const repeated = await create(sandbox, limit(), { headers: { 'idempotency-key': 'shared-too' } });
		expect(repeated.json.data).toEqual(byRequest.data);
		expect((await ask(sandbox, 'GET /partner/exchange/orders')).json.data!.count).toBe(2);
	});

	it('links a replaced order with its replacement, along a chain of three', async () => {
		const line = await listenTo(sandbox, 'sandbox-key');
		const ids = [(await place(sandbox)).id as string];
		for (const price of ['1501.00', '1502.00']) {
			const ack = await command(line, {
				action: 'order_replace',
				order_id: ids[ids.length - 1],
				quantity: '10.00',
				price,
			});
			expect(ack.data).toMatchObject({
				original_order_id: ids[ids.length - 1],
				status: 'replacing',
				replaced_at: expect.any(String),
			});
			ids.push(ack.data!.new_order_id as string);
			sandbox.advance(10);
		}
		const [first, second, third] = (await Promise.all(ids.map((id) => read(sandbox, id)))) as [Json, Json, Json];
		expect(first).toMatchObject({
			status: 'cancelled',
			replace: { replaced_by_order_id: ids[1], replaces_order_id: null },
		});
		expect(second).toMatchObject({
			status: 'cancelled',
			replace: { replaced_by_order_id: ids[2], replaces_order_id: ids[0] },
		});
		expect(third).toMatchObject({
			status: 'accepted',
			price: '1502.00',
			replace: { replaced_by_order_id: null, replaces_order_id: ids[1] },
		});
	});

	it('takes the quantity of a replacement as the new total, so that a partial fill cannot become too much', async () => {
		const line = await listenTo(sandbox, 'sandbox-key');
		const order = await place(sandbox, { quantity: '10.00' });
		await place(sandbox, { side: 'sell', quantity: '4.00' }, 'sandbox-key-second');
		const ack = await command(line, {
			action: 'order_replace',
			order_id: order.id,
			quantity: '12.00',
			price: '1500.00',
		});
		sandbox.advance(10);
		expect(await read(sandbox, order.id!)).toMatchObject({ status: 'cancelled', filled_quantity: '4.00' });
		expect(await read(sandbox, ack.data!.new_order_id!)).toMatchObject({
			status: 'accepted',
			quantity: '8.00',
			filled_quantity: '0.00',
		});
		expect((await balance(sandbox, 'NGN')).locked).toBe('12000.00');
		const tooLittle = await command(line, {
			action: 'order_replace',
			order_id: order.id,
			quantity: '4.00',
			price: '1500.00',
		});
		expect(tooLittle).toMatchObject({ type: 'command_error', code: 'CONFLICT' });
	});

	it('refuses a command for a final order with CONFLICT, and for a foreign order as if it did not exist', async () => {
		const line = await listenTo(sandbox, 'sandbox-key');
		const order = await place(sandbox);
		await command(line, { action: 'order_cancel', order_id: order.id });
		sandbox.advance(10);
		expect(await command(line, { action: 'order_cancel', order_id: order.id })).toMatchObject({
			type: 'command_error',
			code: 'CONFLICT',
		});
		const foreign = await place(sandbox, {}, 'sandbox-key-second');
		const [stored, unknown] = [
			await command(line, { action: 'order_cancel', order_id: foreign.id }),
			await command(line, { action: 'order_cancel', order_id: '00000000-0000-4000-8000-000000000000' }),
		];
		expect([stored.code, stored.message]).toEqual([unknown.code, unknown.message]);
		expect((await ask(sandbox, `GET /partner/exchange/orders/${foreign.id}`)).status).toBe(404);
	});

	it.each([
		[undefined, {}, 'UNAUTHORIZED'],
		['sandbox-key-read', {}, 'FORBIDDEN'],
		['sandbox-key', { price: undefined }, 'VALIDATION_FAILED'],
		['sandbox-key', { quantity: 10 }, 'VALIDATION_FAILED'],
		['sandbox-key', { action: 'order_teleport' }, 'VALIDATION_FAILED'],
		['sandbox-key', { idempotency_key: 'taken' }, 'CONFLICT'],
	])('refuses a command with token %s and %j with %s', async (token, fields, code) => {
		await create(sandbox, limit({ quantity: '99.00' }), { headers: { 'idempotency-key': 'taken' } });
		const line = await listenTo(sandbox, token);
		const answer = await command(line, { ...limit(), action: 'order_create', ...fields });
		expect(answer).toEqual({
			type: 'command_error',
			request_id: expect.any(String),
			action: expect.any(String),
			code,
			message: expect.any(String),
		});
	});

	it('refuses commands that come too fast with RATE_LIMITED, and other messages with an error', async () => {
		const sandbox = await sandboxFor({ messagesPerSecond: 2 });
		const line = await listenTo(sandbox, 'sandbox-key');
		await command(line, { ...limit(), action: 'order_create' });
		await command(line, { ...limit(), action: 'order_create' });
		expect(await command(line, { ...limit(), action: 'order_create' })).toMatchObject({
			type: 'command_error',
			code: 'RATE_LIMITED',
		});
		line.send({ type: 'ping' });
		expect(await line.hears((message) => message.type === 'error', 'the error')).toMatchObject({
			code: 'rate_limited',
		});
		sandbox.advance(1_000);
		line.send({ type: 'ping' });
		await line.hears((message) => message.type === 'pong', 'the pong');
		expect(eventsOf(line, 'user.orders')).toEqual([]);
	});
});
