import { isRead, routeOf, type Operation, type Shape } from '../catalogue';
import { ExchangeError } from '../errors';
import { firstOf, isItem, itemsIn, plainWord, type Item } from '../wire/payload';
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
	for (const field of Object.keys(operation.input)) {
		const names = namesOf(operation, field);
		if (names === undefined) continue;
		const wanted = String(accepted[field]);
		for (const record of recordsOf(operation, data)) {
			const shown = firstOf(record, names);
			if (shown === undefined || plainWord(shown) === plainWord(wanted)) continue;
			throw notIt(
				operation,
				`The answer is about ${field} ${shown}, not ${wanted}`,
				'Ask again; if it persists, look for a proxy that keeps answers',
			);
		}
	}
}

/** The names under which an answer may show what an input asks for, where it says what is asked for. */
function namesOf(operation: Operation, field: string): readonly string[] | undefined {
	const { kind, pick, optional } = operation.input[field]!;
	if (pick === 'pair' && !optional) return pairNames;
	return kind === 'id' && routeOf(operation)?.includes(`{${field}}`) ? [field, 'id'] : undefined;
}

/** The records of an answer, which may stand under a name of their own, such as `order`. */
function recordsOf({ list }: Pick<Operation, 'list'>, data: unknown): Item[] {
	const around = isItem(data) ? data : {};
	if (list) return [around, ...itemsIn(data, list.at)];
	const records = [around];
	for (const name of wrappers) if (isItem(around[name])) records.push(around[name]);
	return records;
}

function showsNothing({ output, parts }: Operation, data: unknown): boolean {
	if (parts !== undefined) return itemsIn(data, parts).length === 0;
	const shape: Shape = output;
	return !recordsOf({}, data).some((record) =>
		Object.keys(record).some(
			(name) => isShown(record[name]) && (typeof shape === 'string' || Object.hasOwn(shape, name)),
		),
	);
}

const isShown = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== false;

const notIt = (operation: Operation, what: string, advice: string): ExchangeError =>
	new ExchangeError('malformed_response', { operation: operation.label, what, advice });
