import { isRead, routeOf, type Operation, type Shape } from '../catalogue';
import { ExchangeError } from '../errors';
import { filledText, isItem, itemsIn, plainWord, type Item } from '../wire/payload';
import type { Accepted } from '../wire/request';

/** Field names of a record that may show a pair, and names under which a whole record may stand. */
const pairNames = ['pair_id', 'pair', 'symbol'];
const wrappers = ['order', 'transaction', 'recipient', 'ticker', 'data'];

/**
 * Refuses an answer that is no answer to what was asked: one that shows nothing of a record, or is about another one. A
 * success that proves nothing would be taken for a yes.
 */
export function assertAsked(operation: Operation, accepted: Accepted, data: unknown): void {
	if (routeOf(operation) === undefined) return;
	if (isRead(operation) && operation.list === undefined && showsNothing(operation, data))
		throw notIt(operation, 'The answer shows nothing of it', 'Ask again; if it persists, ask the provider');
	for (const [field, names] of namesOf(operation)) {
		const wanted = String(accepted[field]);
		for (const record of recordsOf(operation, data)) {
			const shown = names.map((name) => filledText(record[name])).find((text) => text !== undefined);
			if (shown === undefined || plainWord(shown) === plainWord(wanted)) continue;
			throw notIt(
				operation,
				`The answer is about ${field} ${shown}, not ${wanted}`,
				'Ask again; if it persists, look for a proxy that keeps answers',
			);
		}
	}
}

/** The inputs that say what is asked for, each with the names under which an answer may show it. */
function namesOf(operation: Operation): [string, readonly string[]][] {
	const path = routeOf(operation) ?? '';
	return Object.entries(operation.input).flatMap(([field, { kind, pick, optional }]): [string, readonly string[]][] => {
		if (pick === 'pair' && !optional) return [[field, pairNames]];
		return kind === 'id' && path.includes(`{${field}}`) ? [[field, [field, 'id']]] : [];
	});
}

/** The records of an answer, which may stand under a name of their own, such as `order`. */
function recordsOf({ list }: Operation, data: unknown): Item[] {
	const around = isItem(data) ? data : {};
	if (list) return [around, ...itemsIn(data, list.at)];
	return [around, ...wrappers.map((name) => around[name]).filter(isItem)];
}

function showsNothing({ output, parts }: Operation, data: unknown): boolean {
	if (parts !== undefined) return itemsIn(data, parts).length === 0;
	const shape: Shape = output;
	const names = typeof shape === 'string' ? undefined : Object.keys(shape);
	return !recordsOf({} as Operation, data).some((record) =>
		Object.entries(record).some(([name, value]) => isShown(value) && (names === undefined || names.includes(name))),
	);
}

const isShown = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== false;

const notIt = (operation: Operation, what: string, advice: string): ExchangeError =>
	new ExchangeError('malformed_response', { operation: operation.label, what, advice });
