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

/** The transaction in an answer: bare, or under `transaction`. */
export const transactionIn = (data: unknown): Item =>
	!isItem(data) ? {} : isItem(data.transaction) ? data.transaction : data;

/**
 * The create answer has `order_id`, the list has `id`. (Interface, part 2.) Beside an `order_id` it may be that of an event
 * or a row.
 */
export const orderIdOf = (order: Item | undefined): string | undefined =>
	filledText(order?.order_id) ?? filledText(order?.id);

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

/** Milliseconds since 1970 as the service writes a moment. */
export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** ISO 8601 with a day and, if it has a time, at least hours and minutes. Seconds may have a fraction. */
const ISO =
	/^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?([Zz]|UTC|([+-]\d{2})(?::?(\d{2}))?)?)?$/;
/** Nearly all times of a service have this format, which JavaScript reads alike everywhere, and faster. */
const USUAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
/** The dates of HTTP and of letters. */
const WITH_MONTH = /^(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})$/i;
/** Seconds, milli-, micro- or nanoseconds since 1970: each begins with the digits of the milliseconds. */
const SINCE_1970 = /^([1-9]\d{9}(?:\d{3}){0,3})(?:\.(\d+))?$/;
const MILLISECONDS_DIGITS = 13;
const HOUR_MS = 3_600_000;
const ZONE_HOURS_MAX = 14;

/** A time as a person wrote it: as if it were UTC where it names no zone. */
export interface WrittenTime {
	at: number;
	/** Whether the text names its zone; a host reads one without by the zone of its workflow. */
	isZoned: boolean;
}

/**
 * Reads a time of a form, a message or a script. Nothing is guessed: 05/11/2026 is another day in Lagos than in New
 * York, and 30 February is a slip. What a service sends is read by `instantOf`, which takes more.
 */
export function readTime(text: string): WrittenTime | undefined {
	const [, day, minute = '00:00', second = '00', fraction = '', zone, hours = '0', minutes = '0'] =
		ISO.exec(text.trim()) ?? [];
	const local = Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
	// JavaScript takes 30 February for a day of March, and 24:00 for the next day.
	const isReal = !Number.isNaN(local) && instant(local).startsWith(`${day}T${minute}`);
	if (!isReal || Math.abs(Number(hours)) > ZONE_HOURS_MAX || Number(minutes) > 59) return undefined;
	const aheadHours = Number(hours) + (Number(minutes) / 60) * (hours.startsWith('-') ? -1 : 1);
	return { at: local - Math.round(aheadHours * HOUR_MS), isZoned: zone !== undefined };
}

/**
 * The one reader of what a service calls a time, in milliseconds since 1970 UTC: ISO text, in UTC where it names no zone,
 * a date of HTTP, or a number of seconds, milli-, micro- or nanoseconds. What is finer than a millisecond is cut off, so
 * that no time becomes one of the next day. Undefined for any other text, which might be read as another time on another
 * machine, and for a time before 1970, by which some languages write that there is no time.
 */
export function instantOf(value: unknown): number | undefined {
	const text = filledText(value) ?? '';
	const isPlain = USUAL.test(text) || WITH_MONTH.test(text);
	const time = isPlain ? Date.parse(text) : (readTime(text)?.at ?? sinceOf(text));
	return time !== undefined && time > 0 ? time : undefined;
}

function sinceOf(text: string): number | undefined {
	const [, whole, fraction = ''] = SINCE_1970.exec(text) ?? [];
	if (whole === undefined) return undefined;
	return Number((whole + fraction).padEnd(MILLISECONDS_DIGITS, '0').slice(0, MILLISECONDS_DIGITS));
}
