import type { OperationId } from '@partner-exchange/core/catalogue';
import { createClient, type Client, type ExchangeError } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { success, useWire, wireClient } from '../support/wire';

const { wire, client } = useWire();

const limit = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1500' };
async function refusalOf(id: Parameters<Client['call']>[0], input: Record<string, unknown>): Promise<ExchangeError> {
	const error = await client.call(id, input).then(
		() => undefined,
		(reason: ExchangeError) => reason,
	);
	if (!error) throw new Error('it was accepted');
	expect(wire.received).toEqual([]);
	return error;
}

let ids = 0;
/** An order ID names one order, so every order gets another. */
const nextId = (): string => `order-${(ids += 1)}`;

describe('bad input is refused before anything is sent', () => {
	it.each([
		['without', undefined, 'Price is missing: it is required when Order Type is limit'],
		['empty', '', 'Price is missing'],
		['zero', '0', 'Price must be greater than zero'],
		['zero with decimals', '0.00', 'Price must be greater than zero'],
		['negative', '-1', 'Price must be a positive number'],
		['a word', 'abc', 'Price is not a decimal number'],
	])('refuses a limit order with a price that is %s', async (_, price, what) => {
		const error = await refusalOf('order.create', { ...limit, price });
		expect(error).toMatchObject({ code: 'invalid_input', field: 'price', retryable: false });
		expect(error.message).toContain(`Create Order: ${what}`);
		expect(error.advice).toContain('no order was placed');
	});

	it.each([
		[0.1 + 0.2, 'is the number 0.30000000000000004, which may already be rounded: write it as text, or round it'],
		[1e-7, 'write it as text'],
		['1e-7', 'without an exponent'],
		[Number.NaN, 'is not a number'],
		[Number.POSITIVE_INFINITY, 'is not a number'],
		[9007199254740993, 'may already be rounded'],
		['0', 'greater than zero'],
		['-10', 'positive number'],
		['', 'is missing'],
	])('refuses a quantity of %p, naming the field', async (quantity, what) => {
		const error = await refusalOf('order.create', { ...limit, quantity });
		expect(error).toMatchObject({ code: 'invalid_input', field: 'quantity' });
		expect(error.message).toContain(what);
	});

	it.each(['2h', '1H', '60', ''])('refuses the interval %j by the six', async (interval) => {
		const error = await refusalOf('market.candles', { pair_id: 'USD/NGN', interval });
		expect(error).toMatchObject({ field: 'interval' });
		if (interval !== '') expect(error.message).toContain('must be one of 1m, 5m, 15m, 1h, 4h, 1d');
	});

	it.each(['a/b', '..', '../orders', 'a b', '', '%2e%2e', 'a?b', 'a#b', 'x'.repeat(129)])(
		'the order id %j, which could change the path',
		async (order_id) => {
			expect(await refusalOf('order.get', { order_id })).toMatchObject({ code: 'invalid_input', field: 'order_id' });
		},
	);

	it.each([
		'..',
		'.',
		'/',
		'../..',
		'USD/NGN/..',
		'USD/../NGN',
		'%2e%2e',
		'USD\u2215NGN',
		'A/B?x=1',
		'A/B#c',
		'*',
		`A/${'B'.repeat(64)}`,
	])('refuses the pair %j, which could change the path or the topic', async (pair_id) => {
		for (const id of ['market.orderBook', 'market.depth', 'market.ticker'] as const)
			expect(await refusalOf(id, { pair_id })).toMatchObject({ code: 'invalid_input', field: 'pair_id' });
	});

	it('refuses an unknown input, with those there are', async () => {
		const error = await refusalOf('order.get', { order_id: 'a1', orderId: 'a1' });
		expect(error.message).toContain('There is no input named orderId. It takes order_id');
	});

	it.each(['client_order_id', 'idempotency_key'])('a line break in %s, which becomes a header', async (name) => {
		expect(await refusalOf('order.create', { ...limit, [name]: 'a\r\nx-evil: 1' })).toMatchObject({ field: name });
	});

	it.each([
		['idempotency_key', 'Schlüssel-ł', 'printable ASCII'],
		['client_order_id', 'desk\u200b-9', 'must not hold invisible characters'],
	])('refuses an identity that would change on its way: %s %j', async (name, value, what) => {
		const error = await refusalOf('order.create', { ...limit, [name]: value });
		expect(error).toMatchObject({ field: name });
		expect(error.message).toContain(what);
	});

	it.each(['simulation.fiatDeposit', 'simulation.cryptoWithdrawal', 'simulation.kybStatus'] as const)(
		'refuses %s with an account of production, before any packet',
		async (id) => {
			const send = jest.fn(nodePorts().send);
			const production = createClient(
				{
					...{ environment: 'production', apiKey: 'key' },
					...{ baseUrl: 'https://api.example.test/v1', wsUrl: 'wss://api.example.test/v1/ws' },
				},
				{ ...nodePorts(), send },
			);
			await expect(production.call(id, {})).rejects.toMatchObject({ code: 'not_available', retryable: false });
			expect(send).not.toHaveBeenCalled();
		},
	);

	it('refuses any route with a key when the account has none, naming the field', async () => {
		const keyless = wireClient(wire, { apiKey: '' });
		await expect(keyless.wallet.balances({})).rejects.toMatchObject({ code: 'invalid_account', field: 'apiKey' });
		expect(wire.received).toEqual([]);
	});
});

describe('options', () => {
	it.each([
		[
			{ max_quanity: '5' },
			'There is no option named max_quanity. The options are wait, wait_seconds, fail_when, business_key',
		],
		[{ max_quantity: '1e3' }, 'Maximum Quantity must be written out in full'],
		[{ wait: 'forever' }, 'Wait Until must be one of none, accepted, final, not "forever"'],
		[{ wait_seconds: 0 }, 'Seconds to Wait must be at least 1'],
		[{ wait_seconds: 86_401 }, 'Seconds to Wait must be at most 86400'],
		[{ wait_seconds: '9'.repeat(30) }, 'Seconds to Wait must be at most 86400'],
		[{ check_market: 'perhaps' }, 'Check Market Rules must be true or false, and "perhaps" is neither'],
		[{ dry_run: 'yes' }, 'Dry Run must be true or false, and "yes" is neither. Enter true'],
		[{ dry_run: 'TRUE' }, 'Enter true; no order was placed'],
		[{ dry_run: '1' }, 'Enter true; no order was placed'],
		[{ dry_run: 1 }, 'Dry Run must be true or false, and 1 is neither. Enter true'],
		[{ check_balance: 'off' }, 'Enter false; no order was placed'],
		[{ check_balance: {} }, 'Check Balance must be true or false'],
	])('refuses the options %j before anything is sent', async (options, what) => {
		const error = await client
			.call<OperationId>('order.create', limit, { options: options as never })
			.catch((reason: ExchangeError) => reason);
		expect(error).toMatchObject({ code: 'invalid_input', field: Object.keys(options)[0] });
		expect((error as ExchangeError).message).toContain(what);
		expect(wire.received).toEqual([]);
	});
});

describe('an option that is set and empty', () => {
	const named = ['dry_run', 'check_balance', 'max_quantity', 'max_notional', 'allowed_sides', 'allowed_pairs'];

	it.each([...named, 'business_key'])('refuses an option by its name when it is set and empty: %s', async (name) => {
		for (const value of ['', '  ', null]) {
			const error = await client
				.call<OperationId>('order.create', limit, { options: { [name]: value } })
				.catch((reason: unknown) => reason);
			expect(error).toMatchObject({ code: 'invalid_input', field: name });
			expect((error as ExchangeError).message).toContain('is set and empty');
		}
		expect(wire.received).toEqual([]);
	});
});

describe('an option that does not belong to the operation', () => {
	it.each([
		['recipient.delete', { recipient_id: 'r-1' }, 'dry_run', true],
		['simulation.fiatDeposit', { email: 'trader@sandbox.test', amount: '5', currency: 'NGN' }, 'max_quantity', '1'],
		['order.cancel', { pair_id: 'USD/NGN', order_id: 'o-1' }, 'max_notional', '1'],
		['order.list', {}, 'check_balance', true],
	] as const)('refuses for %s an option of another operation', async (id, input, option, value) => {
		const error = await client.call(id, input, { options: { [option]: value } }).catch((reason: unknown) => reason);
		expect(error).toMatchObject({ code: 'invalid_input', field: option });
		expect((error as ExchangeError).message).toMatch(
			/It has no option .*The options are .*; (nothing was (sent|cancelled)|no order was placed)/,
		);
		expect(wire.received).toEqual([]);
	});

	it('treats an undefined option as missing', async () => {
		wire.on('GET /partner/exchange/markets', success({ markets: [] }));
		await client.call<OperationId>('market.list', {}, { options: { dry_run: undefined } });
		expect(wire.calls('GET /partner/exchange/markets')).toHaveLength(1);
	});
});

describe('what is sent', () => {
	it.each([
		[
			{ side: 'Buy', order_type: 'LIMIT', time_in_force: 'post only' },
			{ time_in_force: 'POST_ONLY', price: '1500' },
		],
		[
			{ side: ' BUY ', order_type: 'Limit', price: 1500.25, quantity: 0.1 },
			{ price: '1500.25', quantity: '0.1' },
		],
	])('reads the row of a sheet %j as it is meant', async (row, meant) => {
		wire.on(
			'POST /partner/exchange/orders',
			success({ order_id: nextId(), status: 'pending', created_at: '2026-01-31T00:00:00Z' }),
		);
		await client.call<OperationId>('order.create', { ...limit, ...row }, { options: { check_market: false } });
		const body = JSON.parse(wire.calls('POST /partner/exchange/orders')[0]!.body);
		expect(body).toMatchObject({ side: 'buy', order_type: 'limit', ...meant });
	});

	it('sends a market order without price and time in force, and refuses one that is given', async () => {
		wire.on(
			'POST /partner/exchange/orders',
			success({ order_id: nextId(), status: 'pending', created_at: '2026-01-31T00:00:00Z' }),
		);
		const market = { ...limit, order_type: 'market', price: '' };
		await client.call<OperationId>('order.create', market, { options: { check_market: false } });
		const sent = wire.calls('POST /partner/exchange/orders');
		expect(JSON.parse(sent[0]!.body)).toEqual(expect.not.objectContaining({ price: '' }));
		for (const given of [{ price: '1500.00' }, { time_in_force: 'GTC' }, { price: 0 }])
			await expect(client.call<OperationId>('order.create', { ...market, ...given })).rejects.toMatchObject({
				code: 'invalid_input',
				field: Object.keys(given)[0],
				message: expect.stringMatching(
					/counts only where Order Type is limit\. Leave it empty, or choose limit; no order was placed/,
				),
			});
		expect(wire.calls('POST /partner/exchange/orders')).toHaveLength(1);
	});

	it('sends a given client order id byte for byte, and the same key in header and body', async () => {
		wire.on('GET /partner/exchange/orders', success({ count: 0, orders: [] }));
		wire.on(
			'POST /partner/exchange/orders',
			success({ order_id: nextId(), status: 'pending', created_at: '2026-01-31T00:00:00Z' }),
		);
		await client.order.create(
			{ ...limit, side: 'buy', order_type: 'limit', client_order_id: 'Rechnung 7/ü', idempotency_key: 'key-7' },
			{ options: { check_market: false } },
		);
		const [sent] = wire.calls('POST /partner/exchange/orders');
		expect(JSON.parse(sent!.body)).toMatchObject({ client_order_id: 'Rechnung 7/ü', idempotency_key: 'key-7' });
		expect(sent!.headers['idempotency-key']).toBe('key-7');
	});
});
