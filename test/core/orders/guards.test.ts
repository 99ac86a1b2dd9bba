import { createAccountLimits } from '@partner-exchange/core';
import { applyLimits, readLimits } from '@partner-exchange/core/adapters';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { startWire, success } from '../../support/wire';
import { countSource } from './placed-count-stage';
import { forAll } from '../../support/opened';

describe('guards and dry runs', () => {
	// The clock of a quick client skips all waits, so the order itself must not take longer.
	const sandbox = forAll(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	beforeEach(() => sandbox.reset());

	const client = () => quickClient(accountOf(sandbox));
	const market = { pair_id: 'USD/NGN', side: 'sell', order_type: 'market', quantity: '10.00' } as const;

	it.each([
		['a quantity above the limit', resting, { max_quantity: '9.99' }],
		['a value above the limit', resting, { max_notional: '13999.99' }],
		['a market order where the value is limited', market, { max_notional: '1000000.00' }],
		['a side that is not allowed', resting, { allowed_sides: 'sell' }],
		['a pair that is not allowed', resting, { allowed_pairs: 'EUR/NGN, GBP/NGN' }],
		['a limit that is no number', resting, { max_quantity: 'lots' }],
		['a pair that is mistyped in the limit', resting, { allowed_pairs: 'US/DNGN' }],
		['a list of pairs that names none', resting, { allowed_pairs: ' , ' }],
	] as const)('refuses %s before anything is sent', async (_, input, options) => {
		const error = await errorOf(client().order.create(input, { options }));
		expect(error).toMatchObject({ code: 'invalid_input' });
		expect(error.message).toContain('no order was placed');
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it.each(['USD/NGN', 'usd_ngn', 'EUR/NGN, USDNGN'])(
		'allows %s an order that is exactly at the limit',
		async (allowed_pairs) => {
			const options = { max_quantity: '10', max_notional: '14000', allowed_sides: 'buy', allowed_pairs } as const;
			await client().order.create(resting, { options });
			expect(ordersIn(sandbox)).toHaveLength(1);
		},
	);

	it('holds a replace to the side of the order it replaces', async () => {
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

const names = ['ordersPerMinute', 'ordersPerDay', 'valuePerMinute', 'valuePerDay'] as const;

describe('the limits in the settings of an account', () => {
	it('limits nothing where the limit fields are empty or switched off', () => {
		expect(readLimits({})).toEqual({ settings: {}, isStopped: false });
		for (const none of ['none', ' None ', 'NONE'])
			expect(readLimits({ ordersPerDay: none, valuePerDay: none })).toEqual({ settings: {}, isStopped: false });
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
