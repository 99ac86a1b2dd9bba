import { finality, type Operation, statusMeant, transactionFinality, wantedOf, type Field } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError } from '../errors';
import { DISORDER_MS_MAX, learnOrder, unknownShape } from '../wire/list-shape';
import { firstOf, instantOf, isItem, itemsIn, plainWord, readTime, textOf, type Item } from '../wire/payload';
import { createdAtOf } from '../wire/records';
import { notListed } from './listed';
import { isEmpty } from '../input/value';

/** The options that filter and sort a list in the client, beyond the filters of the service. */
type Narrowing = Pick<NonNullable<CallContext['options']>, 'created_after' | 'created_before' | 'sort'>;

/** A reply is dated to the second, and is read later. */
const SERVICE_TIME_ERROR_MS = 60_000;
/** Rows in a row that are too old, after which the rest of a list that begins with the newest counts as too old. */
const OLD_IN_A_ROW = 50;

/** Whether these options may leave out items that the service sent. */
export const narrows = ({ created_after, created_before, sort = 'as_sent' }: Narrowing = {}): boolean =>
	created_after !== undefined || created_before !== undefined || sort !== 'as_sent';

/**
 * Refuses an empty answer to what was created after a time that the service has not reached: a wrong clock on this
 * machine would otherwise hide everything in silence, from whoever asks for the last hour.
 */
export function assertReached({ created_after: after }: Narrowing = {}, serviceTime: number | undefined): void {
	const at = instantOf(after);
	if (at === undefined || serviceTime === undefined || at <= serviceTime + SERVICE_TIME_ERROR_MS) return;
	const [wanted, current] = [at, serviceTime].map((time) => new Date(time).toISOString());
	throw new ExchangeError('invalid_input', {
		field: 'created_after',
		what: `Created After (${wanted}) is later than the service's clock, which shows ${current}, so nothing can be listed`,
		advice: 'Check the clock of this machine and the time that was entered',
	});
}

type Items = AsyncIterable<Item> | Iterable<Item>;

/** The items of a list that match the options, sorted as requested. An item without a time is kept. */
export function narrowed(items: Items, narrowing: Narrowing = {}): Items {
	if (!narrows(narrowing)) return items;
	const { sort = 'as_sent' } = narrowing;
	const matching = within(items, narrowing);
	return sort === 'as_sent' ? matching : sorted(matching, sort === 'newest_first' ? -1 : 1);
}

async function* sorted(items: Items, sign: 1 | -1): AsyncGenerator<Item> {
	const all: Item[] = [];
	for await (const item of items) all.push(item);
	all.sort((a, b) => sign * ((createdAtOf(a) ?? 0) - (createdAtOf(b) ?? 0)));
	for (const item of all) yield item;
}

/** The answer of one page with its items narrowed; the fields around them stay as sent. */
export async function narrowedPage(operation: Operation, data: unknown, narrowing: Narrowing): Promise<unknown> {
	if (!narrows(narrowing)) return data;
	const items = itemsIn(data, operation.list!.at);
	const kept: Item[] = [];
	for await (const item of narrowed(items, narrowing)) kept.push(item);
	return replaceItems(data, items, kept);
}

async function* within(items: Items, narrowing: Narrowing): AsyncGenerator<Item> {
	const [after, before] = [narrowing.created_after, narrowing.created_before].map((time) => readTime(time ?? '')?.at);
	const isOver = after === undefined ? () => false : endOfOrder(after);
	for await (const item of items) {
		const at = createdAtOf(item);
		if (isOver(at)) return;
		if (at === undefined || (at >= (after ?? at) && at < (before ?? Number.POSITIVE_INFINITY))) yield item;
	}
}

/** Says, row by row, whether the rest of a list is too old, by the order that its rows show. */
function endOfOrder(after: number): (at: number | undefined) => boolean {
	const shape = unknownShape();
	let times: number[] = [];
	let oldInARow = 0;
	return (at) => {
		if (at === undefined) return false;
		times.push(at);
		// Newer rows may have overtaken one that is not too old.
		oldInARow = at < after - DISORDER_MS_MAX ? oldInARow + 1 : 0;
		if (times.length > OLD_IN_A_ROW) {
			learnOrder(shape, times);
			times = [at];
		}
		return oldInARow >= OLD_IN_A_ROW && shape.order === 'newest_first';
	};
}

/**
 * The record of one currency, when one was chosen; an unknown currency is refused with the list of those in the answer.
 */
export function inCurrency(operation: Operation, data: unknown, currency: string | undefined): unknown {
	const at = operation.parts;
	if (currency === undefined || at === undefined || !isItem(data)) return data;
	const parts = itemsIn(data, at);
	const ofCurrency = parts.filter((part) => textOf(part, 'currency')?.toUpperCase() === currency.trim().toUpperCase());
	if (ofCurrency.length > 0 || parts.length === 0) return { ...data, [at]: ofCurrency };
	throw notListed({ operation: operation.label, field: 'currency', picker: 'currency', value: currency }, parts);
}

/**
 * The records of an answer, each with the fields around them. An answer without records gives the fields alone, because
 * "nothing was open" is an answer too.
 */
export function answerRecords({ parts: at }: Pick<Operation, 'parts'>, data: unknown): unknown[] {
	if (at === undefined || !isItem(data) || !Array.isArray(data[at])) return [data];
	const { [at]: _, ...around } = data;
	const parts: unknown[] = data[at];
	if (parts.length === 0) return [around];
	return parts.map((part) => (isItem(part) ? { ...part, ...around } : part));
}

/** Alternative names of the record field that a filter refers to. */
const alsoNamed: Readonly<Record<string, readonly string[]>> = {
	pair_id: ['pair_id', 'pair', 'market', 'symbol'],
};
const notFilters = ['limit', 'offset'];

/**
 * Whether an item passes the filters that the service may not apply: their wire names are assumed, and one that asks for
 * several values is not sent. An item without the field passes, and where what may still change is asked for, one with a
 * word that the interface does not show: an open order that a list hides is cancelled by nobody.
 */
export const passes = (item: Item, filters: readonly Filter[]): boolean =>
	filters.every((filter) => meets(item, filter));

interface Filter {
	name: string;
	wanted: ReadonlySet<string>;
	/** All words that the interface shows for a field, where another word passes too. */
	known?: ReadonlySet<string>;
}

function meets(item: Item, { name, wanted, known }: Filter): boolean {
	const value = firstOf(item, alsoNamed[name] ?? [name]);
	if (value === undefined) return true;
	const word = meant(value);
	return wanted.has(word) || (known !== undefined && !known.has(word));
}

const meant = (word: unknown): string => plainWord(statusMeant(String(word)));
const wordsOf = (field: Field, value: unknown): ReadonlySet<string> => new Set(wantedOf(field, value).map(meant));

/** The filters and options that may leave out items. Without any, the length of a page says how many match. */
export const filtersOf = (operation: Operation, input: Readonly<Record<string, unknown>>): Filter[] =>
	Object.entries(operation.input)
		.filter(([name, { assumed }]) => assumed && !notFilters.includes(name) && !isEmpty(input[name]))
		.map(([name, field]) => {
			const wanted = wordsOf(field, input[name]);
			const isOpen = [...wanted].some((word) => (transactionFinality(word) ?? finality(word)) === 'open');
			return { name, wanted, ...(isOpen && field.values && { known: wordsOf(field, field.values) }) };
		});

/** The answer of a list with its array filtered again; the fields around the array stay as sent. */
export function postFilter(
	operation: Operation,
	data: unknown,
	input: Readonly<Record<string, unknown>>,
	context: CallContext,
): unknown {
	const items = itemsIn(data, operation.list!.at);
	const filters = filtersOf(operation, input);
	const matching = items.filter((item) => passes(item, filters));
	if (matching.length === items.length) return data;
	const sent = filters.filter(({ wanted }) => wanted.size === 1);
	if (sent.some((filter) => items.some((item) => !meets(item, filter))))
		context.warn?.({
			kind: 'filtered',
			text: `The service did not apply a filter of ${operation.label}, so it was applied to the answer`,
		});
	return replaceItems(data, items, matching);
}

/** An answer with its items replaced; the fields around them stay as sent. */
export function replaceItems(data: unknown, items: Item[], matching: Item[]): unknown {
	if (Array.isArray(data)) return matching;
	const holds = (value: unknown) =>
		Array.isArray(value) && value.length === items.length && value.every((item, index) => item === items[index]);
	return Object.fromEntries(
		Object.entries(data as Item).map(([name, value]) => [name, holds(value) ? matching : value]),
	);
}
