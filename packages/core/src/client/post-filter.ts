import { statusMeant, wantedOf, type Field, type Operation } from '../catalogue';
import type { CallContext } from '../context';
import { isEmpty } from '../input/value';
import { firstOf, itemsIn, plainWord, type Item } from '../wire/payload';

/** Alternative names of the record field that a filter refers to. */
const alsoNamed: Readonly<Record<string, readonly string[]>> = {
	pair_id: ['pair_id', 'pair', 'market', 'symbol'],
	order_id: ['order_id', 'orderId'],
};
const notFilters = ['limit', 'offset'];

/**
 * Whether an item passes the filters that the service may not apply: their wire names are assumed, and one that asks for
 * several values is not sent. An item without the field passes, and one with a word that the interface does not show:
 * the service may mean by it what was asked for, and an open order that a list hides is cancelled by nobody.
 */
export const passes = (item: Item, filters: readonly Filter[]): boolean =>
	filters.every((filter) => meets(item, filter));

interface Filter {
	name: string;
	wanted: ReadonlySet<string>;
	/** All words that the interface shows; none where any text may stand. */
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

/** What may leave out items. Where there is none, the length of a page says how many match. */
export const filtersOf = (operation: Operation, input: Readonly<Record<string, unknown>>): Filter[] =>
	Object.entries(operation.input)
		.filter(([name, { assumed }]) => assumed && !notFilters.includes(name) && !isEmpty(input[name]))
		.map(([name, field]) => ({
			name,
			wanted: wordsOf(field, input[name]),
			...(field.values && { known: wordsOf(field, field.values) }),
		}));

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
