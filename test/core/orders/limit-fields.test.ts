import { createAccountLimits } from '@partner-exchange/core';
import { applyLimits, readLimits } from '@partner-exchange/core/adapters';
import { countSource } from './placed-count-stage';

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
