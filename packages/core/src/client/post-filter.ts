import type { Operation } from '../catalogue';
import type { CallContext } from '../context';
import { firstOf, itemsIn, plainWord, type Item } from '../wire/payload';

/** Alternative names of the record field that a filter refers to. */
const alsoNamed: Readonly<Record<string, readonly string[]>> = {
	pair_id: ['pair_id', 'pair', 'market', 'symbol'],
	order_id: ['order_id', 'orderId'],
};
const notFilters = ['limit', 'offset'];

/**
 * Whether an item passes the filters whose wire names are assumed. A service that ignores such a filter sends other
 * items too, so the client filters again. An item without the field passes.
 */
export function passes(item: Item, operation: Operation, input: Readonly<Record<string, unknown>>): boolean {
	return assumedFilters(operation, input).every(([name, wanted]) => {
		const value = firstOf(item, alsoNamed[name] ?? [name]);
		return value === undefined || plainWord(value) === plainWord(wanted);
	});
}

/** Whether the client may leave out items, so that the length of a page does not say how many match. */
export const needsPostFilter = (operation: Operation, input: Readonly<Record<string, unknown>>): boolean =>
	assumedFilters(operation, input).length > 0;

function assumedFilters(operation: Operation, input: Readonly<Record<string, unknown>>): [string, string][] {
	return Object.entries(operation.input)
		.filter(
			([name, field]) =>
				field.assumed &&
				!notFilters.includes(name) &&
				input[name] !== undefined &&
				input[name] !== null &&
				input[name] !== '',
		)
		.map(([name]) => [name, String(input[name])]);
}

/** The answer of a list with its array filtered again; the fields around the array stay as sent. */
export function postFilter(
	operation: Operation,
	data: unknown,
	input: Readonly<Record<string, unknown>>,
	context: CallContext,
): unknown {
	const items = itemsIn(data, operation.list!.at);
	const matching = items.filter((item) => passes(item, operation, input));
	if (matching.length === items.length) return data;
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
