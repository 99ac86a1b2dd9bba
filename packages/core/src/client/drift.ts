import Big from 'big.js';
import type { Operation, Shape } from '../catalogue';
import type { CallContext } from '../context';
import { isItem, itemsIn, type Item } from '../wire/payload';

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
	for (const record of recordsOf(operation, data, notes)) {
		compareRecord(record, operation.output, operation.outputNotShown !== undefined, '', notes);
		addNewWords(record, operation, notes);
	}
	if (notes.size === 0) return;
	for (const text of [...notes].slice(0, NOTES_MAX)) {
		context.warn?.({ kind: text.endsWith(NEWS) ? 'news' : 'drift', text: `${operation.label}: ${text}` });
	}
}

function recordsOf(operation: Operation, data: unknown, notes: Set<string>): Item[] {
	if (!operation.list) return isItem(data) ? [data] : [];
	const { at, bare } = operation.list;
	if (!operation.outputNotShown) {
		if (bare && !Array.isArray(data)) notes.add(`the list is documented as a bare array and came inside an object`);
		if (!bare && Array.isArray(data)) notes.add(`the list is documented under ${at} and came as a bare array`);
		if (!bare && !Array.isArray(data) && !Array.isArray((data as Item)[at]))
			notes.add(`the list is documented under ${at} and is not there`);
	}
	return itemsIn(data, at);
}

function compareRecord(record: Item, shape: Shape, open: boolean, path: string, notes: Set<string>): void {
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
		} else compareInner(value, part, open, `${path}${name}.`, notes);
	}
}

function compareInner(
	value: unknown,
	shape: Exclude<Shape, string>,
	open: boolean,
	path: string,
	notes: Set<string>,
): void {
	if (Array.isArray(shape)) {
		for (const entry of Array.isArray(value) ? value : [])
			if (isItem(entry)) compareRecord(entry, (shape as readonly [Shape])[0], open, path, notes);
	} else if (isItem(value)) compareRecord(value, shape, open, path, notes);
}

/** Warns about a status that is not among the values the list can be filtered by. */
function addNewWords(record: Item, operation: Operation, notes: Set<string>): void {
	for (const name of Object.keys(operation.input)) {
		const { values } = operation.input[name]!;
		const word = record[name];
		if (values && typeof word === 'string' && !values.includes(word)) notes.add(`${name} ${word} ${NEWS}`);
	}
}
