import Big from 'big.js';
import { ExchangeError } from './errors';
import { assertKind, oneOf, wholeNumber } from './given';
import { printable } from './printable';

/** Longer than any amount needs, and short enough for cheap arithmetic. */
const DECIMAL_LENGTH_MAX = 40;

/** As sheets and people write large amounts: `50,000` and `1'500'000.00`, and in France with a narrow space. */
const inThousands = /^\d{1,3}(?:[,_'’\p{Zs}]\d{3})+(?:\.\d+)?$/u;
/** A thousand to some people, and one with three decimals to others, so both are told. */
const oneComma = /^\d+,\d{3}$/;
const plain = /^(0|[1-9]\d*)(\.\d+)?$/;

/** Decimals of up to this many significant digits survive the conversion to a double and back. */
const NUMBER_DIGITS_MAX = 15;

/**
 * A positive or zero decimal as the service accepts it: digits, optionally a point and digits. A number is accepted
 * when its text is certainly the intended value; one with more digits may be the result of rounded arithmetic and is
 * refused. Returns the text, or the reason of the refusal and what was meant.
 */
export function readDecimal(value: unknown): { text: string } | { reason: string; nearest?: string } {
	if (typeof value === 'number') return readNumber(value);
	if (typeof value !== 'string') return { reason: 'must be a decimal number written as text' };
	const text = value.trim();
	if (text === '') return { reason: 'is empty' };
	if (text.length > DECIMAL_LENGTH_MAX) return { reason: `is longer than ${DECIMAL_LENGTH_MAX} characters` };
	if (plain.test(text)) return { text };
	if (/^[+-]/.test(text)) return { reason: 'must be a positive number without a sign' };
	if (/e/i.test(text) && Number.isFinite(Number(text)))
		return { reason: 'must be written out in full, without an exponent' };
	if (/^(\d+\.|\.\d+)$/.test(text)) return { reason: 'must have digits on both sides of its point' };
	if (/^0\d+(\.\d+)?$/.test(text)) return { reason: 'must not begin with a zero too many' };
	if (/^[\d.,_'’\p{Zs}]+$/u.test(text)) {
		const reason = 'must be digits with at most one point, without separators';
		const plainly = text.replaceAll(/[^\d.]/g, '');
		if (!inThousands.test(text) || !plain.test(plainly)) return { reason };
		const others = oneComma.test(text) ? [withoutZeros(text.replace(',', '.'))] : [];
		return { reason, nearest: [plainly, ...others].join(' or ') };
	}
	return { reason: 'is not a decimal number' };
}

function readNumber(value: number): { text: string } | { reason: string } {
	if (!Number.isFinite(value)) return { reason: 'is not a number' };
	if (Number.isSafeInteger(value) && value >= 0) return { text: String(value) };
	const text = String(value);
	if (/^-/.test(text)) return { reason: 'must be a positive number without a sign' };
	const digits = text.replace('.', '').replace(/^0+/, '').length;
	if (plain.test(text) && digits <= NUMBER_DIGITS_MAX) return { text };
	return {
		reason: `is the number ${text}, which may already be rounded: write it as text, or round it to the decimals it is meant to have, such as with .toFixed(2)`,
	};
}

/** Whether a decimal is zero, in whatever form: `0`, `-0.00`, `0E-8`. */
export const isZero = (decimal: string): boolean => !/^[^eE]*[1-9]/.test(decimal);

/**
 * Negative, zero or positive as `a` is less than, equal to or greater than `b`.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for what is no decimal text.
 *
 * @example
 * compare('1.10', '1.1'); // 0
 */
export const compare = (a: string, b: string): number =>
	isPositional(a) && isPositional(b) ? compareDigits(a, b) : exact(a).cmp(exact(b));

/** A number may be rounded already, so it is refused: only text is computed with. */
function exact(text: string, Exact = Big): Big {
	if (typeof text === 'string' && (isPlain(text) || scientific.test(text))) return new Exact(text);
	const given = typeof text === 'string' ? `"${printable(text.slice(0, 40))}"` : `A ${typeof text}`;
	throw new ExchangeError('invalid_input', {
		what: `${given} is no decimal text, and is not computed with`,
		advice: "Write amounts as text such as '1500.10', and test with isDecimal what comes from outside",
	});
}

/** Whether a decimal has no sign and no leading zeros, so that decimals compare digit by digit. */
const isPositional = (text: string): boolean => {
	if (typeof text !== 'string' || !isPlain(text)) return false;
	const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)];
	return first > ZERO || (first === ZERO && (text.length === 1 || second === POINT));
};

/** Compares digit by digit, which is much faster than big.js. */
function compareDigits(a: string, b: string): number {
	const [wholeA, wholeB] = [endOfDigits(a, 0), endOfDigits(b, 0)];
	if (wholeA !== wholeB) return wholeA - wholeB;
	for (let at = 0; at < a.length || at < b.length; at += 1) {
		const difference = digitAt(a, at) - digitAt(b, at);
		if (difference !== 0) return difference;
	}
	return 0;
}

/** Zero past the end and at the point, which both decimals have at the same index. */
const digitAt = (text: string, at: number): number => Math.max(0, (text.charCodeAt(at) || ZERO) - ZERO);

export const equal = (a: string, b: string): boolean => compare(a, b) === 0;

/** A part in exponent form tells no decimals. */
const decimalsOf = (part: string): number => {
	const point = isPlain(part) ? part.indexOf('.') : -1;
	return point < 0 ? 0 : part.length - point - 1;
};
/** A sum is written with the decimals of its longer part, as money is. */
const asMoney = (sum: Big, a: string, b: string): string =>
	sum.toFixed(Math.max(decimalsOf(a), decimalsOf(b), sum.c.length - 1 - sum.e));

/**
 * Adds two decimals exactly. Returns plain notation with the decimals of the longer one, never an exponent. Check what
 * comes from outside with {@link isDecimal}.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for what is no decimal text.
 *
 * @example
 * add('0.10', '0.2'); // '0.30'
 */
export const add = (a: string, b: string): string => asMoney(exact(a).plus(exact(b)), a, b);
/**
 * Subtracts `b` from `a` exactly. Returns plain notation with the decimals of the longer one.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for what is no decimal text.
 *
 * @example
 * subtract('1.00', '0.25'); // '0.75'
 */
export const subtract = (a: string, b: string): string => asMoney(exact(a).minus(exact(b)), a, b);
/**
 * Multiplies two decimals exactly. Returns plain notation.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for what is no decimal text.
 *
 * @example
 * multiply('10', '1500.10'); // '15001'
 */
export const multiply = (a: string, b: string): string => exact(a).times(exact(b)).toFixed();

/**
 * How a quotient is cut to its decimals: towards zero, to the nearest with halves away from zero, to the nearest with
 * halves to even, or away from zero.
 */
const roundings = {
	down: Big.roundDown,
	half_up: Big.roundHalfUp,
	half_even: Big.roundHalfEven,
	up: Big.roundUp,
} as const;

/** No amount, price or rate has more decimals than this. */
const DECIMALS_MAX = 40;

/**
 * Divides `a` by `b` to a number of decimals, rounded as it is named: an average price, a rate. Rounded once, from the
 * exact quotient. Returns plain notation with exactly that many decimals.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for what is no decimal text, for a divisor of zero, and for
 * decimals that are no whole number from 0 to 40.
 *
 * @example
 * divide('15001.00', '10', 2, 'half_even'); // '1500.10'
 */
export function divide(a: string, b: string, decimals: number, rounding: keyof typeof roundings): string {
	assertKind(decimals, wholeNumber(0, DECIMALS_MAX), { of: 'The decimals of a quotient', field: 'decimals' });
	assertKind(rounding, oneOf(...Object.keys(roundings)), { of: 'The rounding of a quotient', field: 'rounding' });
	// A constructor of its own: its precision and rounding are those of the class.
	const Exact = Big();
	Exact.DP = decimals;
	Exact.RM = roundings[rounding];
	const divisor = exact(b, Exact);
	if (divisor.eq(0)) throw new ExchangeError('invalid_input', { field: 'b', what: 'Nothing can be divided by zero' });
	return exact(a, Exact).div(divisor).toFixed(decimals);
}

/** Decimals of an average price. */
const AVERAGE_DECIMALS = 8;

/** What a unit cost on average, to 8 decimals, rounded to the nearest, halves to even; null where nothing was traded. */
export const averagePrice = (total: string, quantity: string): string | null =>
	isZero(quantity) ? null : divide(total, quantity, AVERAGE_DECIMALS, 'half_even');

/** Whether a value is a multiple of a step. Nearly every step is a power of ten, of which only the decimals count. */
export const isMultiple = (value: string, step: string): boolean =>
	isPlain(value) && /^(?:1|0\.0*1)$/.test(step)
		? decimalsOf(withoutZeros(value)) <= decimalsOf(step)
		: new Big(value).mod(step).eq(0);

/** The multiples of `step` around a value; both are the value itself when it is one. */
export function neighbours(value: string, step: string): { below: string; above: string } {
	const size = new Big(step);
	const below = new Big(value).div(size).round(0, Big.roundDown).times(size);
	const above = below.eq(value) ? below : below.plus(size);
	return { below: below.toFixed(), above: above.toFixed() };
}

/** Longer amounts from the service are not computed with, because it could send one that takes very long. */
const SERVICE_DECIMAL_LENGTH_MAX = 100;

/** As Java and Python print small and large decimals: `0E-8`, `1.5E+3`. */
const scientific = /^-?\d+(?:\.\d+)?[eE][+-]?\d{1,2}$/;

/**
 * Whether a value is decimal text this module can compute with: digits, at most one point, an optional minus, 100
 * characters, with or without an exponent, as services print decimals. Never throws.
 *
 * @example
 * isDecimal('1500.10'); // true
 * isDecimal(1500.1); // false: a number may be rounded already
 */
export const isDecimal = (value: unknown): value is string =>
	typeof value === 'string' && value.length <= SERVICE_DECIMAL_LENGTH_MAX && (isPlain(value) || scientific.test(value));

/**
 * A price or a size that the service sent, if it is more than zero. A service without a price writes zero, null or an
 * empty text, and zero would let an order of any size through a limit.
 */
export const positiveDecimal = (value: unknown): string | undefined =>
	isDecimal(value) && !value.startsWith('-') && !isZero(value) ? value : undefined;

/** Asked for every event, so it has to be fast. */
function isPlain(value: string): boolean {
	const begin = value.charCodeAt(0) === MINUS ? 1 : 0;
	const point = endOfDigits(value, begin);
	if (point === begin) return false;
	if (point === value.length) return true;
	return (
		value.charCodeAt(point) === POINT && value.length > point + 1 && endOfDigits(value, point + 1) === value.length
	);
}

function endOfDigits(text: string, from: number): number {
	for (let end = from; ; end += 1) {
		const digit = text.charCodeAt(end) - ZERO;
		// Past the end of the text it is no number.
		if (!(digit >= 0 && digit <= 9)) return end;
	}
}

const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30];

/** Without trailing zeros and exponent, so that `1.50`, `1.5` and `15E-1` become equal texts. */
export function withoutZeros(decimal: string): string {
	if (!isPlain(decimal) && scientific.test(decimal)) return new Big(decimal).toFixed();
	if (!decimal.includes('.')) return decimal;
	let end = decimal.length;
	while (decimal[end - 1] === '0') end -= 1;
	return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
}
