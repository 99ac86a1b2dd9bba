import { createAccountLimits, type ExchangeError, type LimitSettings } from '@partner-exchange/core';
import fc from 'fast-check';
import { countSource } from './placed-count-stage';

// The same cases in every run, so that a rare one fails for the change that brought it.
fc.configureGlobal({ seed: 1 });

const MINUTE_MS = 60_000;

/** Limits of an account whose list is empty. */
function limited(settings: LimitSettings) {
	let now = 0;
	const clock = { elapsed: () => now };
	const limits = createAccountLimits(clock, settings);
	const { source } = countSource(clock);
	let number = 0;
	const admit = (
		more: { key?: string; kind?: 'create' | 'cancel' | 'replace'; quantity?: string; price?: string } = {},
	) =>
		limits.admit(
			{
				key: `key-${(number += 1)}`,
				kind: 'create',
				label: 'Create Order',
				pair_id: 'USD/NGN',
				quantity: '1',
				price: '10',
				...more,
			},
			source,
		);
	const refusal = (more?: Parameters<typeof admit>[0]): Promise<ExchangeError | undefined> =>
		admit(more).then(
			() => undefined,
			(error: unknown) => error as ExchangeError,
		);
	return { limits, admit, refusal, pass: (ms: number) => void (now += ms) };
}

describe('what an account may send over time', () => {
	it('refuses an order without a quantity under a value limit, because its value is unknown', async () => {
		expect((await limited({ valuePerDay: '100' }).refusal({ quantity: undefined }))?.message).toContain(
			'cannot be held to the 100',
		);
	});

	it('holds the largest count per day that the settings accept', async () => {
		const { limits, admit, refusal, pass } = limited({});
		for (let orders = 0; orders < 100_000; orders += 1) await admit({ price: undefined });
		limits.configure({ ordersPerDay: 100_000 });
		expect((await refusal())?.message).toContain('has placed 100000');
		pass(24 * 60 * MINUTE_MS);
		expect(await refusal()).toBeUndefined();
	});

	it('counts exactly what was sent within the last minute and the last day', async () => {
		const steps = fc.array(
			fc.record({
				pauseMs: fc.constantFrom(0, 1, 1_000, MINUTE_MS - 1, MINUTE_MS, 8 * 60 * MINUTE_MS, 24 * 60 * MINUTE_MS),
				price: fc.constantFrom('0.1', '0.25', '3', '10'),
			}),
			{ maxLength: 60 },
		);
		await fc.assert(
			fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (deliveries, ordersPerMinute) => {
				const { refusal, pass } = limited({ ordersPerMinute, valuePerDay: '12' });
				let now = 0;
				const sent: { at: number; value: number }[] = [];
				for (const { pauseMs, price } of deliveries) {
					pass(pauseMs);
					now += pauseMs;
					const within = (ms: number) => sent.filter(({ at }) => now - at < ms);
					const value = Number(price) * 100;
					const total = within(24 * 60 * MINUTE_MS).reduce((sum, entry) => sum + entry.value, value);
					const isRefused = within(MINUTE_MS).length >= ordersPerMinute || total > 1_200;
					expect((await refusal({ price })) !== undefined).toBe(isRefused);
					if (!isRefused) sent.push({ at: now, value });
				}
			}),
		);
	});

	it('sums the value of any minute and day exact to the last digit', async () => {
		const { admit, refusal, pass } = limited({ valuePerMinute: '0.3', valuePerDay: '0.5' });
		await admit({ quantity: '0.1', price: '1' });
		expect(await refusal({ quantity: '0.2', price: '1' })).toBeUndefined();
		expect(await refusal({ quantity: '0.1', price: '0.000001' })).toMatchObject({
			details: { rule: 'valuePerMinute' },
		});
		pass(MINUTE_MS);
		expect(await refusal({ quantity: '0.3', price: '1' })).toMatchObject({ details: { rule: 'valuePerDay' } });
	});

	it.each([
		[{ ordersPerMinute: ' 1 ' as never }, 1],
		[{ ordersPerDay: '000001' as never }, 1],
		[{ ordersPerDay: 0 }, 0],
		[{ ordersPerDay: 100_000, ordersPerMinute: 2 }, 2],
	])('reads an order limit written as %j', async (settings, orders) => {
		const { refusal } = limited(settings);
		for (let order = 0; order < orders; order += 1) expect(await refusal()).toBeUndefined();
		expect(await refusal()).toMatchObject({ code: 'limit_reached' });
	});

	it.each([
		[{ ordersPerDay: 100_001 }, 'ordersPerDay'],
		[{ ordersPerDay: '1.5' as never }, 'ordersPerDay'],
		[{ ordersPerDay: 'a5' as never }, 'ordersPerDay'],
		[{ ordersPerDay: '5a' as never }, 'ordersPerDay'],
		[{ ordersPerDay: null as never }, 'ordersPerDay'],
		[{ ordersPerMinute: -1 }, 'ordersPerMinute'],
		[{ ordersPerDay: 1.5 }, 'ordersPerDay'],
		[{ ordersPerDay: '' as never }, 'ordersPerDay'],
		[{ valuePerDay: '1e9' }, 'valuePerDay'],
		[{ valuePerMinute: '' }, 'valuePerMinute'],
	])('refuses the order limit %j by name, because it limits nothing', (settings, field) => {
		expect(() => limited(settings)).toThrow(expect.objectContaining({ code: 'invalid_account', field }));
	});
});
