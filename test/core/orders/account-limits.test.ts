import { createAccountLimits, type ExchangeError, type LimitSettings } from '@partner-exchange/core';

const MINUTE_MS = 60_000;

function limited(settings: LimitSettings) {
	let now = 0;
	const limits = createAccountLimits({ elapsed: () => now }, settings);
	let number = 0;
	const admit = (
		more: { key?: string; kind?: 'create' | 'cancel' | 'replace'; quantity?: string; price?: string } = {},
	) =>
		limits.admit({
			key: `key-${(number += 1)}`,
			kind: 'create',
			label: 'Create Order',
			quantity: '1',
			price: '10',
			...more,
		});
	const refusal = (more?: Parameters<typeof admit>[0]): ExchangeError | undefined => {
		try {
			admit(more);
			return undefined;
		} catch (error) {
			return error as ExchangeError;
		}
	};
	return { limits, admit, refusal, pass: (ms: number) => void (now += ms) };
}

describe('what an account may send over time', () => {
	it('is a count in any minute, by a clock nobody sets', () => {
		const { admit, refusal, pass } = limited({ ordersPerMinute: 2 });
		admit();
		pass(MINUTE_MS - 1);
		admit();
		expect(refusal()).toMatchObject({ code: 'limit_reached', details: { rule: 'ordersPerMinute' } });
		pass(1);
		expect(refusal()).toBeUndefined();
		expect(refusal()?.message).toContain('may send 2 orders per minute, and has sent 2');
	});

	it('is a count in any day', () => {
		const { admit, refusal, pass } = limited({ ordersPerDay: 1 });
		admit();
		pass(24 * 60 * MINUTE_MS - 1);
		expect(refusal()).toMatchObject({ details: { rule: 'ordersPerDay' } });
		pass(1);
		expect(refusal()).toBeUndefined();
	});

	it('is a value in any minute and day, exact to the last digit', () => {
		const { admit, refusal, pass } = limited({ valuePerMinute: '0.3', valuePerDay: '0.5' });
		admit({ quantity: '0.1', price: '1' });
		expect(refusal({ quantity: '0.2', price: '1' })).toBeUndefined();
		expect(refusal({ quantity: '0.1', price: '0.000001' })).toMatchObject({ details: { rule: 'valuePerMinute' } });
		pass(MINUTE_MS);
		expect(refusal({ quantity: '0.3', price: '1' })).toMatchObject({ details: { rule: 'valuePerDay' } });
	});

	it('cannot be held of an order without a price', () => {
		expect(limited({ valuePerDay: '100' }).refusal({ price: undefined })?.message).toContain(
			'A market order has no price',
		);
	});

	it('counts an order once, however often it is sent, and no cancel', () => {
		const { refusal } = limited({ ordersPerMinute: 1 });
		expect(refusal({ key: 'same' })).toBeUndefined();
		expect(refusal({ key: 'same' })).toBeUndefined();
		expect(refusal({ kind: 'cancel' })).toBeUndefined();
		expect(refusal({ kind: 'replace' })).toBeDefined();
	});

	it('keeps what was counted when the limits change', () => {
		const { limits, admit, refusal } = limited({});
		admit();
		limits.configure({ ordersPerMinute: 1 });
		expect(refusal()).toBeDefined();
	});

	it.each([
		[{ ordersPerMinute: -1 }, 'ordersPerMinute'],
		[{ ordersPerDay: 1.5 }, 'ordersPerDay'],
		[{ ordersPerDay: '' as never }, 'ordersPerDay'],
		[{ valuePerDay: '1e9' }, 'valuePerDay'],
		[{ valuePerMinute: '' }, 'valuePerMinute'],
	])('refuses a limit that limits nothing: %j', (settings, field) => {
		expect(() => limited(settings)).toThrow(expect.objectContaining({ code: 'invalid_account', field }));
	});
});

describe('the stop switch', () => {
	it('lets nothing through but a cancel, until it is released', () => {
		const { limits, refusal } = limited({});
		limits.stop('a loop went wild');
		expect(limits.stopped()).toBe('a loop went wild');
		expect(refusal()).toMatchObject({ code: 'not_available', details: { rule: 'stop_switch' } });
		expect(refusal({ kind: 'replace' })).toBeDefined();
		expect(refusal({ kind: 'cancel' })).toBeUndefined();
		limits.resume();
		expect(refusal()).toBeUndefined();
	});
});
