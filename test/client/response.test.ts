import { ExchangeError, type Account } from '@partner-exchange/core';
import { drop, failure, quickClock, success, useWire, wireClient, type Answer } from '../support/wire';

const CURRENCIES = 'GET /partner/wallets/currencies';
const KYB = 'POST /simulate/kyb/status';
const UPDATE = 'PATCH /partner/wallets/recipients/r1';
const DELETE = 'DELETE /partner/wallets/recipients/r1';
const RECIPIENTS = 'GET /partner/wallets/recipients';
const PAGE = '<!DOCTYPE html><html><body>Welcome</body></html>';

const { wire, client } = useWire();

async function errorOf(
	answer: Answer,
	call = () => client.wallet.currencies({}) as Promise<unknown>,
	route = CURRENCIES,
) {
	wire.on(route, answer);
	const error = await call().then(
		() => undefined,
		(reason: ExchangeError) => reason,
	);
	if (!(error instanceof ExchangeError)) throw new Error('it was taken as a success');
	return error;
}

describe('an answer that is no success', () => {
	it.each([
		['without data', '{"status":"success"}'],
		['with null for data', '{"status":"success","data":null}'],
		['with text for data', '{"status":"success","data":"yes"}'],
		['with a status that throws when it is converted', '{"status":{"toString":0},"data":{}}'],
	])('rejects %s as malformed', async (_, body) => {
		expect(await errorOf({ body })).toMatchObject({ code: 'malformed_response', status: 200 });
	});

	it.each(['error', 'failed', 'pending', ''])(
		'treats an answer with the status %j as a failure, whatever HTTP says',
		async (status) => {
			const body = JSON.stringify({ status, data: { currencies: [] } });
			expect(await errorOf({ body })).toMatchObject({ code: 'malformed_response' });
		},
	);

	it('rejects a simulation answer that says failure with 200', async () => {
		const error = await errorOf(
			{ body: '{"status":"error","message":"no"}' },
			() => client.simulation.kybStatus({}),
			KYB,
		);
		expect(error).toMatchObject({ code: 'outcome_unknown' });
		expect(error.message).toContain('no');
	});

	it.each([
		['a web page', '<!DOCTYPE html><html><body>Welcome</body></html>', 'a web page instead of data'],
		['nothing', '', 'nothing'],
		['cut JSON', '{"status":"success","data":{"curr', '{"status":"success"'],
		['another type', 'OK', 'OK'],
		['an array', '[1,2]', '[1,2]'],
	])('rejects %s with its status and a short excerpt', async (_, body, text) => {
		const error = await errorOf({ body, headers: { 'content-type': 'text/html' } });
		expect(error).toMatchObject({ code: 'malformed_response', status: 200 });
		expect(error.message).toContain(text);
		expect(error.message.length).toBeLessThan(700);
	});
});

describe('a success', () => {
	it.each([200, 201, 202])('accepts the status %d as a success', async (status) => {
		wire.on(CURRENCIES, success({ currencies: [] }, status));
		await expect(client.wallet.currencies({})).resolves.toEqual({ currencies: [] });
	});

	it('accepts 204 without a body for a write', async () => {
		wire.on(KYB, { status: 204 }).on(UPDATE, { status: 204 });
		await expect(client.simulation.kybStatus({})).resolves.toEqual({});
		await expect(client.recipient.update({ recipient_id: 'r1', label: 'x' })).resolves.toEqual({});
	});

	it.each([
		['an envelope', { status: 'success', data: { id: 't1' } }, { id: 't1' }],
		['a bare record', { id: 't1', status: 'pending' }, { id: 't1', status: 'pending' }],
		['a record under another name', { result: { id: 't1' } }, { result: { id: 't1' } }],
		['a bare array', [{ id: 't1' }], [{ id: 't1' }]],
		['a record without an error', { error: null, errors: [] }, { error: null, errors: [] }],
	])('passes the simulation answer %s as it is', async (_, body, data) => {
		wire.on(KYB, { status: 201, body: JSON.stringify(body) });
		await expect(client.simulation.kybStatus({ body: { any: ['thing'] } })).resolves.toEqual(data);
		expect(wire.calls(KYB)[0]!.body).toBe('{"any":["thing"]}');
	});
});

describe('an answer in a form that is not documented', () => {
	it.each([
		['is the page of a hotel', PAGE],
		['is cut', '{"status":"success","data":{"id":"t1","amo'],
		['says that it did not succeed', '{"success":false,"message":"no"}'],
		['says that it is not ok', '{"ok":false}'],
		['has a no for a status', '{"status":false,"message":"no"}'],
		['has the short word of a failure for a status', '{"status":"KO"}'],
		['has a code of a failure beside its data', '{"status":"success","data":{"id":"r1"},"meta":{"code":"25"}}'],
		['says so in capitals', '{"status":"ERROR","message":"no"}'],
		['shows an error', '{"error":{"code":"E1","message":"no"}}'],
		['shows a list of errors', '{"errors":["no"]}'],
	])('proves no simulated write and no deletion where it %s', async (_, body) => {
		const written = await errorOf({ body }, () => client.simulation.kybStatus({}), KYB);
		expect(written.code).toBe('outcome_unknown');
		const deleted = await errorOf({ body }, () => client.recipient.delete({ recipient_id: 'r1' }), DELETE);
		expect(deleted.code).toBe('malformed_response');
	});

	it.each([
		['is text', { body: 'Please log in' }],
		['only takes it on', { status: 202, body: '{"status":"queued"}' }],
		['says false', success({ deleted: 'false' })],
		['says so in its data', success({ success: false })],
		['names another recipient', success({ deleted_id: 'r2' })],
		['is lost', drop],
	] as [string, Answer][])('lets the list decide whether a recipient was deleted where it %s', async (_, answer) => {
		const remove = () => client.recipient.delete({ recipient_id: 'r1' });
		wire.on(RECIPIENTS, success({ recipients: [{ id: 'r1' }] }));
		expect(await errorOf(answer, remove, DELETE)).toMatchObject({ operation: 'Delete Recipient' });
		wire.on(RECIPIENTS, success({ recipients: [] }));
		await expect(remove()).resolves.toMatchObject({ deleted: true, id: 'r1' });
	});

	const unsaved = { id: 'r1', label: 'x', success: false, error: 'no such account' };
	it.each([unsaved, { recipient: unsaved }])('proves no recipient where its data says so: %j', async (data) => {
		const error = await errorOf(
			success(data),
			() => client.recipient.update({ recipient_id: 'r1', label: 'x' }),
			UPDATE,
		);
		expect(error).toMatchObject({ code: 'malformed_response', serviceMessage: expect.stringContaining('no such') });
	});
});

describe('a web page in the place of a refusal', () => {
	it.each([401, 403, 404, 405, 407, 410])('says with %d nothing of the key or of a record', async (status) => {
		const error = await errorOf(
			failure(status, PAGE),
			() => client.order.get({ order_id: 'a1' }),
			'GET /partner/exchange/orders/a1',
		);
		expect(error.code).not.toBe('not_found');
		expect(error.message).toContain(`A firewall or proxy in front of the service refused the request`);
	});
});

describe('an error body', () => {
	it.each([
		['a message', { message: 'price is too low' }],
		['an error with message and code', { error: { message: 'price is too low', code: 'E1' } }],
		['a list of errors', { errors: [{ message: 'price is too low' }] }],
		['a list of texts', { errors: ['price is too low'] }],
		['an envelope', { status: 'error', data: { message: 'price is too low' } }],
		['a detail', { detail: 'price is too low' }],
		['JSON text', '"price is too low"'],
		['plain text', 'price is too low'],
	])('reads from an error body with %s its best message', async (_, body) => {
		const error = await errorOf(failure(400, body));
		expect(error).toMatchObject({ code: 'refused', status: 400, serviceMessage: 'price is too low' });
	});

	it.each([
		[
			{ statusCode: 400, message: ['price is low', 'no side'], error: 'Bad Request' },
			'price is low; no side; Bad Request',
		],
		[
			{ message: 'Invalid.', errors: { price: ['Too low.'], side: ['Missing.'] } },
			'Invalid; price: Too low; side: Missing',
		],
		[{ detail: [{ loc: ['body', 'price'], msg: 'field required' }] }, 'price: field required'],
		[{ errors: [{ field: 'price', message: 'too low' }, { message: 'no side' }] }, 'price: too low; no side'],
		[{ status: 'fail', data: { price: 'too low' } }, 'price: too low'],
		[{ message: 'Too low', data: { id: 'o1' } }, 'Too low'],
		[{ error: { code: -2010, msg: 'Too low' } }, 'Too low'],
	])('reads from an error body all that it says: %j', async (body, said) => {
		expect(await errorOf(failure(422, body))).toMatchObject({ code: 'refused', serviceMessage: said });
	});

	it.each([{ code: -2010 }, { code: '-2010' }, { error_code: -2010 }, { error: { code: -2010 } }])(
		'has the code of the service in words or in digits: %j',
		async (body) => {
			expect(await errorOf(failure(422, body))).toMatchObject({ serviceCode: '-2010' });
		},
	);
});

describe('a status', () => {
	it('reads 403 of a simulation as "not available here", and of the rest as "not allowed, or not ready"', async () => {
		const simulated = await errorOf(failure(403, {}), () => client.simulation.kybStatus({}), KYB);
		expect(simulated.message).toContain('The simulation is not available here');
		for (const error of [
			await errorOf(failure(403, {})),
			await errorOf(failure(403, {}), () => client.order.list({}), 'GET /partner/exchange/orders'),
		]) {
			expect(error.message).toContain('The key may not do this, or the account is not ready');
			expect(error.message).not.toContain('simulation');
		}
	});

	it.each([
		[404, ''],
		[400, 'order not found'],
		[422, 'Unknown order id'],
		[410, 'gone'],
	])('reads %d of a read by id as "not found" when it says so', async (status, message) => {
		const error = await errorOf(
			failure(status, { message }),
			() => client.order.get({ order_id: 'a1' }),
			'GET /partner/exchange/orders/a1',
		);
		expect(error.code).toBe('not_found');
	});

	it.each<[Partial<Account>, string]>([
		[{}, 'Take a key of the sandbox on this machine: sandbox-key, unless it was started with others'],
		[{ environment: 'staging' }, 'it is one of Staging: the keys of other environments are not known there'],
	])('names for 401 where the keys of the environment come from: %j', async (account, words) => {
		wire.on(CURRENCIES, failure(401, { message: 'invalid key' }));
		await expect(wireClient(wire, account).wallet.currencies()).rejects.toMatchObject({
			code: 'unauthorized',
			advice: expect.stringContaining(words) as string,
		});
		expect(wire.calls(CURRENCIES)).toHaveLength(1);
	});
});

describe('an error', () => {
	it('says of a path that is not there to check the address, and of a record to check its identifier', async () => {
		for (const route of [CURRENCIES, 'GET /partner/exchange/orders', 'GET /partner/exchange/orders/a1'])
			wire.on(route, failure(404, {}));
		const client = wireClient(wire);
		const advised = (advice: string) => ({ code: 'not_found', advice: expect.stringContaining(advice) as string });
		await expect(client.wallet.currencies()).rejects.toMatchObject(advised('Check the Service Address'));
		await expect(client.order.list()).rejects.toMatchObject(advised('Check the Service Address'));
		await expect(client.order.get({ order_id: 'a1' })).rejects.toMatchObject(advised('Check the identifier'));
	});

	it('says in an error whether it may be repeated, what to do, and the id the provider asks for', async () => {
		const error = await errorOf(failure(409, { message: 'busy' }, { 'x-request-id': 'req-77' }));
		expect(error.toJSON()).toMatchObject({
			code: 'conflict',
			retryable: false,
			advice: 'Read the existing record before sending anything new',
			operation: 'Get Currencies',
			status: 409,
			request_id: 'req-77',
		});
	});

	it('reports a write without a reply as of unknown outcome, and never as failed', async () => {
		const error = await errorOf(drop, () => client.simulation.kybStatus({}), KYB);
		expect(error).toMatchObject({ code: 'outcome_unknown', retryable: false });
		expect(error.message).not.toContain('fail');
		expect(wire.calls(KYB)).toHaveLength(1);
	});
});

describe('too many requests', () => {
	const wait = async (headers: Record<string, string>) => {
		const clock = quickClock();
		wire.on(CURRENCIES, failure(429, {}, headers), success({ currencies: [] }));
		await wireClient(wire, {}, clock).wallet.currencies({});
		return clock.waited[0];
	};

	it.each([
		['seconds', { 'retry-after': '7' }, 7_000],
		[
			'a date, held against the date of the answer',
			{ 'retry-after': 'Sun, 01 Feb 2026 12:00:09 GMT', date: 'Sun, 01 Feb 2026 12:00:00 GMT' },
			9_000,
		],
		['nothing', {}, 999],
		['nonsense', { 'retry-after': 'soon' }, 999],
	])('repeats a request after %s', async (_, headers, waitedMs) => {
		expect(await wait(headers as Record<string, string>)).toBe(waitedMs);
	});

	it('tells all of the pause that the service asks for', async () => {
		wire.on(CURRENCIES, failure(429, {}, { 'retry-after': '3600' }));
		const asked = wireClient(wire).wallet.currencies({}, { retries: 0 });
		await expect(asked).rejects.toMatchObject({ retryAfterMs: 3_600_000, message: expect.stringContaining('3600 s') });
	});
});
