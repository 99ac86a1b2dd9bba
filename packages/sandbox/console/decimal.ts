/** Exact amounts as text. Numbers are never made of them: what the exchange sent is what is shown. */
const decimal = /^(-?)(\d+)(?:\.(\d+))?$/;

/** `1234567.50` as `1,234,567.50`; anything that is no plain decimal stays as it is. */
export function grouped(amount: string): string {
	const match = decimal.exec(amount);
	if (!match) return amount;
	const [, sign = '', whole = '', fraction] = match;
	const groups: string[] = [];
	for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
	const thousands = groups.join(',');
	return `${sign}${thousands}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Running totals, nearest level first, with as many decimals as the longest amount has. */
export function runningTotals(amounts: readonly string[]): string[] {
	const scale = longestFraction(amounts);
	let sum = 0n;
	return amounts.map((amount) => print((sum += scaled(amount, scale)), scale));
}

/** `a - b`. */
export function difference(a: string, b: string): string {
	const scale = longestFraction([a, b]);
	return print(scaled(a, scale) - scaled(b, scale), scale);
}

/** Each amount's share of the whole in tenths of a percent, for bars. */
export function shares(amounts: readonly string[], whole: string): number[] {
	const scale = longestFraction([...amounts, whole]);
	const all = scaled(whole, scale);
	return amounts.map((amount) => (all > 0n ? Number((scaled(amount, scale) * 1000n) / all) / 10 : 0));
}

/** -1, 0 or 1, as sorting wants it. */
export function compare(a: string, b: string): number {
	const scale = longestFraction([a, b]);
	const gap = scaled(a, scale) - scaled(b, scale);
	return gap < 0n ? -1 : gap > 0n ? 1 : 0;
}

export const isZero = (amount: string): boolean => /^-?0+(\.0+)?$/.test(amount);

const longestFraction = (amounts: readonly string[]): number =>
	Math.max(0, ...amounts.map((amount) => decimal.exec(amount)?.[3]?.length ?? 0));

function scaled(amount: string, scale: number): bigint {
	const match = decimal.exec(amount);
	if (!match) return 0n;
	const [, sign = '', whole = '0', fraction = ''] = match;
	return BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`);
}

function print(units: bigint, scale: number): string {
	const sign = units < 0n ? '-' : '';
	const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
	const whole = digits.slice(0, digits.length - scale);
	return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-scale)}`;
}
