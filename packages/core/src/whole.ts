/**
 * A whole number that is never rounded: a number where JavaScript is exact, otherwise a bigint. So two equal ones are `===`,
 * and `<` compares any two. The interface sets no bound to sequences. (Interface, parts 2 and 6.)
 */
export type Whole = number | bigint;

/** A number of more digits is not read, because arithmetic with it would take too long. */
const DIGITS_MAX = 60;

/** Reads a number of the service, which may be text because JavaScript would round it. Undefined for anything else. */
export function wholeOf(value: unknown): Whole | undefined {
	if (Number.isSafeInteger(value)) return value as number;
	// A greater one stays a number where JavaScript writes it back as the service wrote it.
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || text.length > DIGITS_MAX || !/^-?\d+$/.test(text)) return undefined;
	return exact(BigInt(text));
}

export function plus(value: Whole, by: number): Whole {
	const sum = Number(value) + by;
	const isExact = typeof value === 'number' && (Math.abs(sum) <= Number.MAX_SAFE_INTEGER || !Number.isFinite(sum));
	return isExact ? sum : exact(BigInt(value) + BigInt(by));
}

/** Plain JSON, which {@link wholeOf} reads back: text where a number would be rounded. */
export const written = (value: Whole): number | string => (typeof value === 'number' ? value : String(value));

const exact = (value: bigint): Whole =>
	value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

export const later = <W extends Whole>(a: W | undefined, b: W | undefined): W | undefined =>
	a === undefined ? b : b === undefined || a >= b ? a : b;

export const sooner = <W extends Whole>(a: W, b: W): W => (a <= b ? a : b);

export const compareWhole = (a: Whole, b: Whole): number => (a < b ? -1 : a > b ? 1 : 0);
