/** Converts decimal strings to integer units and back: with two decimals, `1500.25` is 150025n. */

/** Longer texts are refused before they are converted to a big integer. */
const DIGITS_MAX = 30;
const PLAIN_DECIMAL = /^\d+(?:\.\d+)?$/;

export const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

/** The integer units, or the reason why the text is invalid. Trailing zeros beyond the precision are accepted. */
export function parseUnits(text: string, decimals: number): bigint | 'malformed' | 'too_precise' {
	if (text.length > DIGITS_MAX || !PLAIN_DECIMAL.test(text)) return 'malformed';
	const [whole = '', fraction = ''] = text.split('.');
	const digits = fraction.slice(0, decimals).padEnd(decimals, '0');
	if (/[1-9]/.test(fraction.slice(decimals))) return 'too_precise';
	return BigInt(whole + digits);
}

export function formatUnits(units: bigint, decimals: number): string {
	const sign = units < 0n ? '-' : '';
	const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
	return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

export const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** A quotient to eight decimals, without trailing zeros beyond `decimalsMin`. */
export function formatRatio(dividend: bigint, divisor: bigint, decimalsMin: number): string {
	const decimals = 8;
	const text = formatUnits((dividend * powerOfTen(decimals)) / divisor, decimals);
	const shortest = text.length - decimals + decimalsMin;
	let end = text.length;
	while (end > shortest && text[end - 1] === '0') end -= 1;
	return text.slice(0, end);
}
