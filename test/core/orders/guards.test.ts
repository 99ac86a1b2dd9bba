import { createAccountLimits, type ExchangeError, type Item } from '@partner-exchange/core';
import { applyLimits, readLimits } from '@partner-exchange/core/adapters';
import { operationOf, type Options } from '@partner-exchange/core/catalogue';
import { type Sandbox, startSandbox } from '@partner-exchange/sandbox';
import { enforceRiskLimits } from '../../../packages/core/src/orders/limits/risk-limits';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { startWire, success } from '../../support/wire';
import { countSource } from './placed-count-stage';

describe('guards and dry runs', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		// The clock of a quick client skips all waits, so the order itself must not take longer.
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(() => sandbox.close());

	const client = () => quickClient(accountOf(sandbox));
	const market = { pair_id: 'USD/NGN', side: 'sell', order_type: 'market', quantity: '10.00' } as const;

	it.each([
		['a quantity above the limit', resting, { max_quantity: '9.99' }],
		['a value above the limit', resting, { max_notional: '13999.99' }],
		['a market order where the value is limited', market, { max_notional: '1000000.00' }],
		['a side that is not allowed', resting, { allowed_sides: 'sell' }],
		['a pair that is not allowed', resting, { allowed_pairs: 'EUR/NGN, GBP/NGN' }],
		['a limit that is no number', resting, { max_quantity: 'lots' }],
		['a list of pairs that names none', resting, { allowed_pairs: ' , ' }],
	] as const)('refuses %s before anything is sent', async (_, input, options) => {
		const error = await errorOf(client().order.create(input, { options }));
		expect(error).toMatchObject({ code: 'invalid_input' });
		expect(error.message).toContain('no order was placed');
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it('allows an order that is exactly at the limit', async () => {
		const options = {
			max_quantity: '10',
			max_notional: '14000',
			allowed_sides: 'buy',
			allowed_pairs: 'USD/NGN',
		} as const;
		await client().order.create(resting, { options });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('holds a replace to the side of the order it replaces (security 39)', async () => {
		const { order_id } = await client().order.create(resting, { options: { wait: 'accepted' } });
		const command = { command: () => Promise.reject(new Error('must not be sent')) };
		const input = { pair_id: 'USD/NGN', order_id, quantity: '20.00', price: '1390.00' };
		const guarded = quickClient(accountOf(sandbox), { commands: () => command });
		const error = await errorOf(guarded.order.replace(input, { options: { allowed_sides: 'sell' } }));
		expect(error).toMatchObject({ code: 'invalid_input', field: 'side' });
	});

	it.each([
		[
			'the pair of the order it replaces',
			'USD/NGN',
			'EUR/NGN',
			'Pair (pair_id) EUR/NGN is not allowed here, only USD/NGN',
		],
		['a pair that can be read', 'USD/NGN', undefined, 'The pair of the order cannot be read'],
	])('holds a replace to %s', async (_, allowed_pairs, pair_id, what) => {
		const wire = await startWire();
		wire.on('GET /partner/exchange/orders/order-1', success({ id: 'order-1', status: 'accepted', pair_id }));
		const input = { pair_id: 'USD/NGN', order_id: 'order-1', quantity: '20.00', price: '1390.00' };
		const options = { allowed_pairs, check_market: false };
		const error = await errorOf(quickClient(wire.account).order.replace(input, { options }));
		expect(error).toMatchObject({ code: 'invalid_input', field: 'pair_id' });
		expect(error.message).toContain(what);
		await wire.close();
	});

	it('shows the exact request of a dry run, with the key hidden, and sends nothing', async () => {
		const options = { dry_run: true };
		const row = await client().order.create(resting, { intent: 'a', options });
		expect(row).toMatchObject({
			dry_run: true,
			request: { method: 'POST', body: { quantity: '10.00' }, headers: { 'x-api-key': '[hidden]' } },
		});
		expect(JSON.stringify(row)).not.toContain('sandbox-key');
		expect(createsIn(sandbox)).toHaveLength(0);
		await client().order.create(resting, { intent: 'a' });
		const [sent] = createsIn(sandbox);
		expect((row as unknown as { request: { body: unknown } }).request.body).toEqual(JSON.parse(sent!.body));
		expect(row).toMatchObject({ request: { headers: { 'idempotency-key': sent!.headers['idempotency-key'] } } });
	});

	it('shows the command of a dry run', async () => {
		const row = await client().order.cancel(
			{ pair_id: 'USD/NGN', order_id: 'order-1' },
			{ options: { dry_run: true } },
		);
		expect(row).toMatchObject({
			dry_run: true,
			command: {
				type: 'command',
				action: 'order_cancel',
				order_id: 'order-1',
				idempotency_key: expect.any(String) as string,
			},
		});
	});

	it('holds a dry run to the guards as well', async () => {
		const error = await errorOf(client().order.create(resting, { options: { dry_run: true, max_quantity: '1' } }));
		expect(error).toMatchObject({ code: 'invalid_input' });
	});
});

const create = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00', price: '1500.00' };

const replace = { pair_id: 'USD/NGN', order_id: 'order-1', quantity: '10.00', price: '1500.00' };

/** The field at fault with its message, or nothing if the order may be sent, and how often the order was read. */
async function verdict(input: Record<string, string>, options: Options, order?: Item) {
	let reads = 0;
	const readOrder = () => Promise.resolve(((reads += 1), order));
	const operation = operationOf(input.order_id === undefined ? 'order.create' : 'order.replace');
	const refused = await enforceRiskLimits(operation, input, options, readOrder).then(
		() => undefined,
		(error: ExchangeError) => error,
	);
	return { refused, reads };
}

const refusal = async (...args: Parameters<typeof verdict>) => (await verdict(...args)).refused;

describe('what a node may not order', () => {
	it.each<[string, Options]>([
		['nothing is limited', {}],
		['the quantity is the most there is', { max_quantity: '10' }],
		['the value is the most there is', { max_notional: '15000' }],
		['the pair is among the allowed ones', { allowed_pairs: 'EUR/NGN , USD/NGN,' }],
		['the pair is allowed in other letters', { allowed_pairs: 'usd/ngn' }],
		['the side is the allowed one', { allowed_sides: 'buy' }],
		['both sides are allowed', { allowed_sides: 'both' }],
		['a limit is empty', { max_quantity: '', max_notional: null as never }],
	])('allows an order where %s', async (_, options) => {
		expect(await verdict(create, options)).toEqual({ refused: undefined, reads: 0 });
	});

	it.each<[Options, string, string]>([
		[{ max_quantity: '9.99' }, 'quantity', 'Quantity 10.00 is above the maximum of 9.99'],
		[{ max_notional: '14999.99' }, 'quantity', 'Its value of 15000 is above the maximum of 14999.99'],
		[{ max_quantity: '1,000' }, 'max_quantity', 'The limit must be digits'],
		[{ max_notional: 'much' }, 'max_notional', 'The limit is not a decimal number'],
		[{ allowed_pairs: 'EUR/NGN, GBP/NGN' }, 'pair_id', 'Pair USD/NGN is not allowed here, only EUR/NGN, GBP/NGN'],
		[{ allowed_pairs: ' , ' }, 'allowed_pairs', 'The list of allowed pairs names no pair'],
		[{ allowed_pairs: '' }, 'allowed_pairs', 'The list of allowed pairs names no pair'],
		[{ allowed_sides: 'sell' }, 'side', 'Side buy is not allowed here, only sell'],
	])('refuses an order over a limit and names the field: %j', async (options, field, what) => {
		const error = await refusal(create, options);
		expect(error).toMatchObject({ code: 'invalid_input', field, operation: 'Create Order' });
		expect(error?.message).toContain(what);
		expect(error?.message).toContain('Change the order or this limit');
	});

	it('refuses an order without a price under a value limit', async () => {
		const { price, ...market } = create;
		expect(price).toBe('1500.00');
		const error = await refusal(market, { max_notional: '99999' });
		expect(error).toMatchObject({ field: 'price' });
		expect(error?.message).toContain('it cannot be held to the maximum value of 99999');
		expect(await refusal(market, { max_quantity: '10' })).toBeUndefined();
	});
});

describe('what a node may not replace', () => {
	const order = { pair_id: 'USD/NGN', side: 'buy' };

	it('refuses to replace an order of another pair or side, whatever the node names', async () => {
		expect(await verdict(replace, { allowed_pairs: 'USD/NGN' }, order)).toEqual({ refused: undefined, reads: 1 });
		expect(await verdict(replace, { allowed_sides: 'buy' }, order)).toEqual({ refused: undefined, reads: 1 });
		const other = { pair_id: 'EUR/NGN', side: 'sell' };
		expect((await refusal(replace, { allowed_pairs: 'USD/NGN' }, other))?.message).toContain(
			'Pair EUR/NGN is not allowed',
		);
		expect((await refusal(replace, { allowed_sides: 'buy' }, other))?.message).toContain('Side sell is not allowed');
	});

	it('refuses to replace an order that does not show what is limited', async () => {
		for (const unread of [undefined, {}]) {
			expect((await refusal(replace, { allowed_pairs: 'USD/NGN, EUR/NGN' }, unread))?.message).toContain(
				'The pair of the order cannot be read, and only USD/NGN, EUR/NGN is allowed',
			);
			expect((await refusal(replace, { allowed_sides: 'sell' }, unread))?.message).toContain(
				'Its side cannot be read, and only sell is allowed',
			);
		}
	});

	it('reads no original where neither pair nor side is limited', async () => {
		expect(await verdict(replace, { max_quantity: '10', allowed_sides: 'both' })).toEqual({
			refused: undefined,
			reads: 0,
		});
		expect(await verdict(replace, { max_quantity: '9' })).toMatchObject({ refused: { field: 'quantity' }, reads: 0 });
		expect(await verdict(replace, { allowed_pairs: 'EUR/NGN' })).toMatchObject({
			refused: { field: 'pair_id' },
			reads: 0,
		});
	});
});

const names = ['ordersPerMinute', 'ordersPerDay', 'valuePerMinute', 'valuePerDay'] as const;

describe('the limits in the settings of an account', () => {
	it('limits nothing where the limit fields are empty or switched off', () => {
		expect(readLimits({})).toEqual({ settings: {}, isStopped: false });
		for (const none of ['none', ' None ', 'NONE'])
			expect(readLimits({ ordersPerDay: none, valuePerDay: none })).toEqual({ settings: {}, isStopped: false });
	});

	it('reads the limit fields as they were entered', () => {
		const options = { ordersPerMinute: 5, ordersPerDay: ' 50 ', valuePerMinute: '100.00', valuePerDay: 0 };
		expect(readLimits(options).settings).toEqual({ ...options, ordersPerDay: '50' });
	});

	it.each(names)('refuses the limit field %s by name where it is blank', (name) => {
		for (const empty of ['', '  ', null, undefined])
			expect(() => readLimits({ [name]: empty })).toThrow(
				expect.objectContaining({
					code: 'invalid_account',
					field: name,
					message: expect.stringMatching(/ is empty\. Give it a number, or none; nothing was sent/) as string,
				}),
			);
	});

	it('refuses a limit field whose environment variable is not set', () => {
		expect(() => readLimits({ ordersPerDay: ' ${MOST} ' })).toThrow(
			expect.objectContaining({
				field: 'ordersPerDay',
				message: expect.stringContaining('The environment variable ${MOST} of Orders per Day is not set') as string,
			}),
		);
		expect(readLimits({ ordersPerDay: 'a${MOST}', ordersPerMinute: '${MOST}a' }).settings).toEqual({
			ordersPerDay: 'a${MOST}',
			ordersPerMinute: '${MOST}a',
		});
	});

	it.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('reads the stop switch from %j', (value, isStopped) => {
		expect(readLimits({ stopAllOrders: value }).isStopped).toBe(isStopped);
	});

	it.each([
		['', 'Stop All Orders is empty', 'Give it true or false'],
		['yes', 'Stop All Orders must be true or false, and "yes" is neither', 'Give it true;'],
		['maybe', 'Stop All Orders must be true or false', 'Give it true or false'],
	])('refuses %j as a value of the stop switch', (value, what, advice) => {
		expect(() => readLimits({ stopAllOrders: value })).toThrow(
			expect.objectContaining({
				code: 'invalid_account',
				field: 'stopAllOrders',
				message: expect.stringContaining(what) as string,
			}),
		);
		expect(() => readLimits({ stopAllOrders: value })).toThrow(advice);
	});

	it('applies changed limit fields from then on', async () => {
		const clock = { elapsed: () => 0 };
		const limits = createAccountLimits(clock);
		const { source } = countSource(clock);
		const order = { key: 'a', kind: 'create', label: 'Create Order', quantity: '1', price: '1' } as const;
		applyLimits(limits, { settings: { ordersPerDay: 0 }, isStopped: true });
		expect(limits.stopped()).toBe('Stop All Orders is on in the account');
		applyLimits(limits, { settings: { ordersPerDay: 0 }, isStopped: false });
		expect(limits.stopped()).toBeUndefined();
		await expect(limits.admit(order, source)).rejects.toMatchObject({ code: 'limit_reached' });
		applyLimits(limits, { settings: {}, isStopped: false });
		await limits.admit(order, source);
	});
});
