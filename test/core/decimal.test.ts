import Big from 'big.js';
import fc from 'fast-check';
import {
	add,
	isDecimal,
	withoutZeros,
	compare,
	divide,
	isMultiple,
	isZero,
	multiply,
	neighbours,
	readDecimal,
	subtract,
} from '../../packages/core/src/decimal';

// A fixed seed, so that a rare failure belongs to the change that introduced it.
fc.configureGlobal({ seed: 1 });

describe('compare', () => {
	const digits = fc.stringMatching(/^(0|[1-9]\d{0,18})$/);
	const value = fc
		.tuple(
			fc.constantFrom('', '', '-', '0', '00'),
			digits,
			fc.stringMatching(/^\d{0,18}$/),
			fc.constantFrom('', '0', '000'),
		)
		.map(
			([before, whole, fraction, after]) => `${before}${whole}${fraction + after === '' ? '' : `.${fraction}${after}`}`,
		);

	it('compares decimals as arithmetic does, however they are written', () => {
		fc.assert(
			fc.property(value, value, (a, b) => expect(Math.sign(compare(a, b))).toBe(new Big(a).cmp(b))),
			{ numRuns: 2_000 },
		);
	});

	it.each([
		['1.50', '1.5', 0],
		['1', '1.000', 0],
		['10', '9.99', 1],
		['1.25', '1.5', -1],
		['0.1', '0.01', 1],
		['0', '-0', 0],
		['-2', '-10', 1],
		['007', '7.0', 0],
	])('compares %p with %p', (a, b, sign) => {
		expect([Math.sign(compare(a, b)), Math.sign(compare(b, a))]).toEqual([sign, sign === 0 ? 0 : -sign]);
	});
});

describe('readDecimal', () => {
	it.each([
		[0.1 + 0.2, 'is the number 0.30000000000000004, which may already be rounded'],
		[1e-7, 'may already be rounded: write it as text'],
		[9007199254740993, 'may already be rounded'],
		[1234567890123.456, 'may already be rounded'],
		[Number.NaN, 'is not a number'],
		[Number.POSITIVE_INFINITY, 'is not a number'],
		[-1.5, 'without a sign'],
		[-1, 'without a sign'],
		['1e-7', 'written out in full'],
		['1E5', 'written out in full'],
		['-5', 'without a sign'],
		['+5', 'without a sign'],
		['1,500.00', 'without separators'],
		['1.500.00', 'at most one point'],
		['01', 'a zero too many'],
		['000010.50', 'a zero too many'],
		['.5', 'digits on both sides of its point'],
		['5.', 'digits on both sides of its point'],
		['abc', 'is not a decimal number'],
		['0x10', 'is not a decimal number'],
		['', 'is empty'],
		[null, 'must be a decimal number written as text'],
		[{}, 'must be a decimal number written as text'],
		['1'.repeat(41), 'longer than 40 characters'],
	])('refuses %p as an amount and says why', (value, reason) => {
		expect(readDecimal(value)).toMatchObject({ reason: expect.stringContaining(reason) });
	});

	it.each([
		['1,000', '1000 or 1'],
		['12,345', '12345 or 12.345'],
		['1,500.00', '1500.00'],
		['1,000,000', '1000000'],
	])('says of %j all that it may mean, as a comma stands for a point in much of the world', (value, nearest) => {
		expect(readDecimal(value)).toMatchObject({ nearest });
	});

	it.each(["1'000", '1’000', '1 000', '1\u00a0000', '1\u202f000', '1_000'])(
		'says how to write %j, in which a thousand is set apart',
		(value) => {
			expect(readDecimal(value)).toEqual({
				reason: 'must be digits with at most one point, without separators',
				nearest: '1000',
			});
		},
	);

	it.each([
		['100.00', '100.00'],
		['0.00000001', '0.00000001'],
		[' 7 ', '7'],
		[12, '12'],
		[0.1, '0.1'],
		[1500.25, '1500.25'],
		[123456789012.345, '123456789012.345'],
		[9007199254740991, '9007199254740991'],
	])('reads %p as the amount %p', (value, text) => {
		expect(readDecimal(value)).toEqual({ text });
	});

	it('reads any number of up to 15 digits as the text it was written as', () => {
		const written = fc
			.tuple(fc.nat({ max: 999_999_999 }), fc.integer({ min: 1, max: 999_999 }))
			.map(([whole, fraction]) => `${whole}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`);
		fc.assert(fc.property(written, (text) => expect(readDecimal(Number(text))).toEqual({ text })));
	});

	it('keeps every digit of any plain decimal, and never writes an exponent', () => {
		const digits = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.stringMatching(/^\d{0,18}$/));
		fc.assert(
			fc.property(digits, ([whole, fraction]) => {
				const text = fraction === '' ? String(whole) : `${whole}.${fraction}`;
				expect(readDecimal(text)).toEqual({ text });
			}),
		);
	});
});

describe('arithmetic', () => {
	const decimal = fc
		.tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.nat({ max: 8 }))
		.map(
			([units, places]) =>
				`${units / 10n ** BigInt(places)}.${String(units % 10n ** BigInt(places)).padStart(places || 1, '0')}`,
		);

	it('adds and subtracts an amount without a rest', () => {
		fc.assert(fc.property(decimal, decimal, (a, b) => compare(subtract(add(a, b), b), a) === 0));
	});

	it('divides to the decimals that are asked for, rounded once from the exact quotient', () => {
		const parts = fc.bigInt({ min: 1n, max: 10n ** 18n });
		fc.assert(
			fc.property(parts, parts, fc.nat({ max: 12 }), (a, b, decimals) => {
				const scaled = a * 10n ** BigInt(decimals);
				const [floor, rest] = [scaled / b, scaled % b];
				const units = (text: string): bigint => BigInt(text.replace('.', ''));
				const nearest = rest * 2n >= b ? floor + 1n : floor;
				const even = rest * 2n === b ? floor + (floor % 2n) : nearest;
				const results = (['down', 'up', 'half_up', 'half_even'] as const).map((rounding) =>
					units(divide(String(a), String(b), decimals, rounding)),
				);
				expect(results).toEqual([floor, rest === 0n ? floor : floor + 1n, nearest, even]);
			}),
		);
		expect(divide('15001.00', '10', 2, 'half_even')).toBe('1500.10');
		expect(divide('1', '30000000', 12, 'down')).toBe('0.000000033333');
	});

	it('refuses to divide by zero, to senseless places, or by a rounding that does not exist', () => {
		for (const act of [
			() => divide('1', '0', 2, 'down'),
			() => divide('1', '3', 1.5, 'down'),
			() => divide('1', '3', 41, 'down'),
			() => divide('1', '3', 2, 'ceiling' as never),
		])
			expect(act).toThrow();
	});

	it('never writes a sum with an exponent', () => {
		expect(multiply('0.0000001', '0.0000001')).toBe('0.00000000000001');
		expect(multiply('100000000000', '10000000000000')).toBe('1000000000000000000000000');
	});

	it('finds the multiples of a step around any value', () => {
		fc.assert(
			fc.property(decimal, fc.constantFrom('0.01', '0.05', '1', '0.00000001', '25'), (value, step) => {
				const { below, above } = neighbours(value, step);
				expect(compare(below, value)).toBeLessThanOrEqual(0);
				expect(compare(above, value)).toBeGreaterThanOrEqual(0);
				expect([0, compare(step, '0')]).toContain(compare(subtract(above, below), '0'));
			}),
		);
	});

	it('recognises a multiple of any step as arithmetic does', () => {
		const steps = fc.oneof(
			decimal.filter((text) => compare(text, '0') > 0),
			fc.constantFrom('1', '1.0', '1.00', '0.1', '0.10', '0.01', '0.0100', '0.001', '10', '0.11', '0.25', '5'),
		);
		fc.assert(
			fc.property(decimal, steps, fc.nat(1_000), (value, step, times) => {
				const exact = new Big(step).times(times).toFixed();
				expect(isMultiple(exact, step)).toBe(true);
				expect(isMultiple(value, step)).toBe(new Big(value).mod(step).eq(0));
			}),
			{ numRuns: 2_000 },
		);
	});

	it.each([
		['0', true],
		['0.00', true],
		['-0', true],
		['000', true],
		['0.01', false],
		['10', false],
	])('recognises whether %p is zero', (text, nothing) => {
		expect(isZero(text)).toBe(nothing);
	});

	it('writes a sum with the decimals of its longer part, as money is', () => {
		expect([add('5000000', '0.10'), add('1.95', '0.05'), subtract('10.00', '0')]).toEqual([
			'5000000.10',
			'2.00',
			'10.00',
		]);
		expect([add('1E-3', '1.00'), subtract('5e2', '1')]).toEqual(['1.001', '499']);
	});

	it('writes any sum and any difference as big.js does, with those decimals', () => {
		const digits = fc.stringMatching(/^\d{1,9}$/);
		const value = fc.tuple(fc.constantFrom('', '', '', '-'), digits, fc.option(digits)).map(([sign, whole, rest]) => {
			return `${sign}${whole}${rest === null ? '' : `.${rest}`}`;
		});
		const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;
		fc.assert(
			fc.property(value, value, (a, b) => {
				const decimals = Math.max(decimalsOf(a), decimalsOf(b));
				expect(add(a, b)).toBe(new Big(a).plus(b).toFixed(decimals));
				expect(subtract(a, b)).toBe(new Big(a).minus(b).toFixed(decimals));
			}),
			{ numRuns: 5_000 },
		);
	});

	it('subtracts three fills of 0.1 from 0.3 and leaves nothing', () => {
		expect(['0.1', '0.1', '0.1'].reduce(subtract, '0.3')).toBe('0.0');
	});
});

describe('decimals as Java and Python print them', () => {
	it.each([
		['0E-8', '0'],
		['0E+2', '0'],
		['1E+1', '10'],
		['1.5e3', '1500'],
		['-2.50E-1', '-0.25'],
		['15000E-1', '1500'],
	])('reads %s as %s', (scientific, plain) => {
		expect(isDecimal(scientific)).toBe(true);
		expect(compare(scientific, plain)).toBe(0);
		expect(withoutZeros(scientific)).toBe(plain);
		expect(isZero(scientific)).toBe(plain === '0');
		expect(add(scientific, '0')).toBe(plain);
	});

	it.each(['1E', 'E5', '1E+', '1E999', '1.E2', '1e5e5', '0x1E2', '1 E2'])('does not take %s for a decimal', (text) => {
		expect(isDecimal(text)).toBe(false);
	});
});
