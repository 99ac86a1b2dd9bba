import { statusMeant, type Operation } from '../catalogue';

/** A record as the service sent it, under the service's field names. */
export type Item = Record<string, unknown>;

export const isItem = (value: unknown): value is Item =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const listNames = ['items', 'data', 'results', 'list', 'records', 'rows'];

/** The items of a list; none where the answer shows no list. */
export const itemsIn = (data: unknown, at?: string): Item[] => (listIn(data, at) ?? []).flatMap(asItem);

/**
 * The array of a list, whether it is bare, under its documented name, or under another plausible one. Undefined where
 * the answer has no list, which does not say that there are no items. Some programs write an empty list as null, or
 * leave it out beside its count; null beside another count is a list that could not be read.
 */
export function listIn(data: unknown, at = 'items'): unknown[] | undefined {
	if (Array.isArray(data)) return data as unknown[];
	if (!isItem(data)) return undefined;
	for (const name of [at, ...listNames]) {
		const inner = data[name];
		if (Array.isArray(inner)) return inner as unknown[];
		if (isItem(inner)) return listIn(inner, at);
	}
	if (data[at] === null) return Number(data.count) > 0 ? undefined : [];
	const [only, ...more] = Object.values(data).filter(Array.isArray);
	if (only && more.length === 0) return only as unknown[];
	return data.count === 0 ? [] : undefined;
}

/** A list of plain strings, such as chains, becomes a list of records with a code. */
const asItem = (value: unknown): Item[] =>
	isItem(value) ? [value] : typeof value === 'string' ? [{ code: value }] : [];

/** The identity of an item; an item that shows none, or an empty one, is identified by its whole content. */
export function identityOf(item: Item, { list }: Pick<Operation, 'list'>): string {
	const identifier = firstOf(item, list?.identifiedByFirstOf ?? []);
	const other = list?.identifiedWith === undefined ? undefined : referenceIn(item, list.identifiedWith);
	return identifier === undefined ? JSON.stringify(item) : other === undefined ? identifier : `${identifier}:${other}`;
}

/** The identifier of another record that an item names, as `order_id` or within `order: { id }`. */
export function referenceIn(item: Item, name: string): string | undefined {
	const nested = item[name.replace(/_id$/, '')];
	return filledText(item[name]) ?? (isItem(nested) ? orderIdOf(nested) : undefined);
}

/** The order in an answer or a stream payload: bare, under `order`, or first in a list. */
export function orderIn(data: unknown): Item | undefined {
	if (Array.isArray(data)) return orderIn(data[0]);
	if (!isItem(data)) return undefined;
	const { order } = data;
	if (!isItem(order)) return data;
	const isReference = textOf(order, 'status') === undefined && textOf(data, 'status') !== undefined;
	return isReference ? data : order;
}

/** The create answer has `order_id`, the list has `id`. (Interface, part 2.) */
export function orderIdOf(order: Item | undefined): string | undefined {
	return filledText(order?.id) ?? filledText(order?.order_id);
}

/** Whether two identifiers are one: some databases and sheets write a UUID in capitals. */
export const isSameId = (one: string | undefined, other: unknown): boolean =>
	one?.toLowerCase() === String(other).toLowerCase();

/** Longer than any identifier, word or amount of the service; longer text is passed on without being interpreted. */
export const TEXT_LENGTH_MAX = 2_000;

export const textOf = (item: Item | undefined, name: string): string | undefined => shortText(item?.[name]);

/** The status of a record, as the interface spells it. An empty one is not shown. */
export const statusOf = (item: Item | undefined): string | undefined =>
	statusMeant(textOf(item, 'status') ?? '') || undefined;

export const shortText = (value: unknown): string | undefined =>
	typeof value === 'string'
		? value.length <= TEXT_LENGTH_MAX
			? value
			: undefined
		: typeof value === 'number'
			? String(value)
			: undefined;

/** A non-empty text, or undefined. */
export function filledText(value: unknown): string | undefined {
	const text = shortText(value);
	return text === '' ? undefined : text;
}

/** A word without case and punctuation: `USD_NGN` and `usd/ngn` are one. */
export const plainWord = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Whether two texts are one pair or currency. A separator says where one code of a pair ends, so `us/dngn` is a mistyped
 * pair. Only a pair without one, such as `usdngn`, may be split at any place.
 */
export function isOneSpelling(one: string, other: string): boolean {
	const [codes, others] = [one, other].map((text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []) as string[][];
	const isSeparated = codes!.length > 1 && others!.length > 1;
	return isSeparated ? codes!.join('/') === others!.join('/') : plainWord(one) === plainWord(other);
}

/** The value of the first of several alternative field names. */
export function firstOf(item: Item, candidates: readonly string[]): string | undefined {
	for (const name of candidates) {
		const value = filledText(item[name]);
		if (value !== undefined) return value;
	}
	return undefined;
}

/** The value of the first of several field names, in the item or in the first of the named parts that is a record. */
export function firstWithin(item: Item, candidates: readonly string[], parts: readonly string[]): string | undefined {
	const part = parts.map((name) => item[name]).find(isItem);
	return firstOf(item, candidates) ?? (part && firstOf(part, candidates));
}

/** Seconds, milli-, micro- and nanoseconds. The largest unit that gives a time before the year 5138 is the one meant. */
const UNITS_MS = [1_000, 1, 1e-3, 1e-6] as const;
const MILLISECONDS_MAX = 100_000_000_000_000;
const TIME_LENGTH_MAX = 64;

/** Milliseconds since 1970 as the service writes a moment. */
export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * A timestamp in milliseconds since 1970 UTC, from ISO text with or without offset, or from a number of seconds,
 * milli-, micro- or nanoseconds.
 */
export function instantOf(value: unknown): number | undefined {
	if (typeof value === 'string' && value.length > TIME_LENGTH_MAX) return undefined;
	// Nearly all times have this format, so it is tried first.
	if (typeof value === 'string' && value.endsWith('Z')) return dateOf(value);
	if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) {
		const unmarked = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value);
		return dateOf(unmarked ? `${value.replace(' ', 'T')}Z` : value);
	}
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const number = Number(value);
	const unitMs = UNITS_MS.find((unit) => Math.abs(number) * unit < MILLISECONDS_MAX);
	return unitMs && Math.round(number * unitMs);
}

/** Whether the day or the month of a date comes first, no text of numbers says. JavaScript takes it for the month. */
const DAY_OR_MONTH_FIRST = /^\s*\d\d?[^\d:]+\d\d?[^\d:]+\d/;

function dateOf(text: string): number | undefined {
	if (DAY_OR_MONTH_FIRST.test(text)) return undefined;
	const time = Date.parse(text);
	return Number.isNaN(time) ? undefined : time;
}
