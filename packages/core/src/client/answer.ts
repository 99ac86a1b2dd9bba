import { isRead, routeOf, type Operation, type Shape, type AdditionId } from '../catalogue';
import { ExchangeError } from '../errors';
import { filledText, isItem, itemsIn, plainWord, type Item } from '../wire/payload';
import type { Accepted } from '../wire/request';
import { withBusinessKey } from '../wire/intent-key';
import { withRemaining } from '../wire/remaining';
import { replaceItems } from './narrowing';
import Big from 'big.js';
import type { CallContext } from '../context';

/** Field names of a record that may show a pair, and field names that may hold a whole record. */
const pairNames = ['pair_id', 'pair', 'symbol'];
const wrappers = ['order', 'transaction', 'recipient', 'ticker', 'data'];

/**
 * What is wrong with an answer that is no answer to what was asked: one that shows nothing of a record, or is about another
 * one. A success that proves nothing would be taken for a yes.
 */
export function notAsked(operation: Operation, accepted: Accepted, data: unknown): ExchangeError | undefined {
	if (routeOf(operation) === undefined) return undefined;
	if (isRead(operation) && operation.list === undefined && showsNothing(operation, data))
		return notIt(operation, 'The answer shows nothing of it', 'Ask again; if it persists, ask the provider');
	for (const field of Object.keys(operation.input)) {
		const names = namesShowing(operation, field);
		if (names === undefined) continue;
		const wanted = String(accepted[field]);
		for (const record of recordsOf(operation, data)) {
			if (names.some((name) => record[name] === wanted)) continue;
			const shown = names.flatMap((name) => filledText(record[name]) ?? []);
			if (shown.length === 0 || shown.some((each) => plainWord(each) === plainWord(wanted))) continue;
			return notIt(
				operation,
				`The answer is about ${field} ${shown[0]}, not ${wanted}`,
				'Ask again; if it persists, look for a proxy that keeps answers',
			);
		}
	}
	return undefined;
}

/** The names under which an answer may show what an input asks for, where it says what is asked for. */
function namesShowing(operation: Operation, field: string): readonly string[] | undefined {
	const { kind, pick, optional } = operation.input[field]!;
	if (pick === 'pair' && !optional) return pairNames;
	return kind === 'id' && routeOf(operation)?.includes(`{${field}}`) ? [field, 'id', 'deleted_id'] : undefined;
}

/** The records of an answer, which may be in a field of their own, such as `order`. */
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
	// What is not shown may be a list, such as an account at each of several banks.
	if (typeof shape === 'string' && Array.isArray(data)) return data.length === 0;
	return !recordsOf({}, data).some((record) =>
		Object.keys(record).some(
			(name) => isShown(record[name]) && (typeof shape === 'string' || Object.hasOwn(shape, name)),
		),
	);
}

const isShown = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== false;

const notIt = (operation: Operation, what: string, advice: string): ExchangeError =>
	new ExchangeError('malformed_response', { operation: operation.label, what, advice });

const computeField: Partial<Record<AdditionId, (record: Item) => Item>> = {
	remaining_quantity: withRemaining,
	business_key: withBusinessKey,
};

/** A read answer with the fields that the client computes of its records. */
export function withAdded({ adds = [], list, run }: Operation, data: unknown): unknown {
	if (run.via !== 'rest' || typeof data !== 'object' || !adds.some((id) => id in computeField)) return data;
	const completed = (record: Item): Item => adds.reduce((item, id) => computeField[id]?.(item) ?? item, record);
	if (list === undefined) {
		if (!isItem(data)) return data;
		return isItem(data.order) ? { ...data, order: completed(data.order) } : completed(data);
	}
	const rows = itemsIn(data, list.at);
	return replaceItems(data, rows, rows.map(completed));
}

/** Differences reported per call, so that a changed service does not flood the log. */
const NOTES_MAX = 10;
/** Additional fields and new values do not contradict the documentation. */
const NEWS = 'is not documented';

/**
 * Compares an answer with the documented shape and warns about differences; no answer is refused for one. Amounts sent
 * as numbers become text in place: the object was parsed for this call and nothing else holds it yet.
 */
export function reportDrift(
	operation: Operation,
	data: unknown,
	numbers: readonly string[],
	context: CallContext,
): void {
	const notes = new Set(
		numbers.map((name) => `${name} came as a number and is passed on as text, with the same digits`),
	);
	for (const record of comparedIn(operation, data, notes)) {
		compareRecord(record, operation.output, { open: operation.outputNotShown !== undefined, path: '', notes });
		addNewWords(record, operation, notes);
	}
	if (notes.size === 0) return;
	for (const text of [...notes].slice(0, NOTES_MAX)) {
		context.warn?.({ kind: text.endsWith(NEWS) ? 'news' : 'drift', text: `${operation.label}: ${text}` });
	}
}

function comparedIn(operation: Operation, data: unknown, notes: Set<string>): Item[] {
	if (!operation.list) return isItem(data) ? [data] : [];
	const { at } = operation.list;
	if (!operation.outputNotShown) {
		const isBare = Array.isArray(data);
		if (at === undefined && !isBare) notes.add('the list is documented as a bare array and came inside an object');
		if (at !== undefined && isBare) notes.add(`the list is documented under ${at} and came as a bare array`);
		if (at !== undefined && !isBare && !Array.isArray((data as Item)[at]))
			notes.add(`the list is documented under ${at} and is not there`);
	}
	return itemsIn(data, at);
}

/** Where a comparison is, whether the record may hold more than what is documented, and what differs so far. */
interface Comparison {
	path: string;
	open: boolean;
	notes: Set<string>;
}

function compareRecord(record: Item, shape: Shape, comparison: Comparison): void {
	const { path, open, notes } = comparison;
	if (typeof shape === 'string' || Array.isArray(shape)) return;
	for (const name of Object.keys(record)) {
		const value = record[name];
		const part = Object.hasOwn(shape, name) ? (shape as Readonly<Record<string, Shape>>)[name] : undefined;
		if (part === undefined) {
			if (!open) notes.add(`${path}${name} ${NEWS}`);
		} else if (typeof part === 'string') {
			if (part.startsWith('decimal') && typeof value === 'number') {
				record[name] = new Big(value).toFixed();
				notes.add(`${path}${name} is documented as text and came as a number`);
			}
		} else if (Array.isArray(part)) {
			const inner = { ...comparison, path: `${path}${name}.` };
			for (const entry of Array.isArray(value) ? value : [])
				if (isItem(entry)) compareRecord(entry, (part as readonly [Shape])[0], inner);
		} else if (isItem(value)) compareRecord(value, part, { ...comparison, path: `${path}${name}.` });
	}
}

/** Warns about a status that is not among the values the list can be filtered by. */
function addNewWords(record: Item, operation: Operation, notes: Set<string>): void {
	for (const name of Object.keys(operation.input)) {
		const { values } = operation.input[name]!;
		const word = record[name];
		if (values && typeof word === 'string' && !values.includes(word)) notes.add(`${name} ${word} ${NEWS}`);
	}
}
