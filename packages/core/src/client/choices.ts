import { operationOf, pickers, type OperationId, type PickerId } from '../catalogue';
import { isExchangeError } from '../errors';
import type { UntypedClient } from './contract';
import { isDecimal, isZero, subtract } from '../decimal';
import { printable } from '../printable';
import { firstOf, instantOf, textOf, type Item } from '../wire/payload';

/** One entry of a picker: the value sent on the wire and the label a person reads. */
export interface Choice {
	value: string;
	label: string;
}

/** Rows read for one picker; people mostly look for recent ones. */
const ROWS_MAX = 500;
/** Entries shown at once; a search narrows them. */
const CHOICES_MAX = 200;
/** A longer value is an opaque identifier, so only its beginning is shown. */
const VALUE_SHOWN_MAX = 16;
const IDENTIFIER_SHOWN = 8;

/** The entries of a picker, read from the live list and filtered by the typed text. */
export async function pickerChoices(
	client: Pick<UntypedClient, 'items'>,
	picker: PickerId,
	search = '',
	context: { signal?: AbortSignal } = {},
): Promise<Choice[]> {
	const id = pickers[picker].operation as OperationId;
	const unique = new Map<string, Choice>();
	try {
		for await (const item of client.items(id, {}, { ...context, limit: ROWS_MAX })) {
			if (!isOffered(item, picker)) continue;
			const choice = pickerChoice(item, picker);
			if (choice && matches(choice, search)) unique.set(choice.value, choice);
			if (unique.size >= CHOICES_MAX) break;
		}
	} catch (error) {
		// A list that does not go on offers what it shows, and a value can be typed.
		if (!isExchangeError(error, 'limit_reached') || unique.size === 0) throw error;
	}
	const all = [...unique.values()];
	// A paged list is sorted newest first, the order people search in; any other list is easier to scan by name.
	return operationOf(id).list?.paging === 'none' ? all.sort((a, b) => a.label.localeCompare(b.label, 'en')) : all;
}

/** Whether the row has a status the picker offers. */
function isOffered(item: Item, picker: PickerId): boolean {
	const status = textOf(item, 'status');
	return status === undefined || (pickers[picker].statuses?.includes(status) ?? true);
}

function pickerChoice(item: Item, picker: PickerId): Choice | undefined {
	const { value: valueNames, words: wordNames, leads } = pickers[picker];
	const value = firstOf(item, valueNames);
	if (value === undefined) return undefined;
	const words = [...wordNames.map((name) => textOf(item, name)), openText(item, picker), timeText(item, picker)].filter(
		(word) => word !== undefined && word !== '' && word !== value,
	);
	const label = value.length > VALUE_SHOWN_MAX ? `${value.slice(0, IDENTIFIER_SHOWN)}…` : value;
	const parts = leads === 'value' ? [label, ...words] : [...words, label];
	return { value, label: printable([...new Set(parts)].join(' · ')) };
}

/** The open amount of a partly completed row, such as `40.00 open`. */
function openText(item: Item, picker: PickerId): string | undefined {
	const { remainder } = pickers[picker];
	if (!remainder) return undefined;
	const [whole, done] = [textOf(item, remainder.of), textOf(item, remainder.less)];
	if (!isDecimal(whole) || !isDecimal(done) || isZero(done)) return undefined;
	return `${subtract(whole, done)} open`;
}

/** To the minute, in UTC like the times of the service. */
function timeText(item: Item, picker: PickerId): string | undefined {
	const { time } = pickers[picker];
	const at = time === undefined ? undefined : instantOf(textOf(item, time));
	return at === undefined ? undefined : new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Every typed word must occur in the label or the value, in any order. */
function matches({ value, label }: Choice, search: string): boolean {
	const text = `${label} ${value}`.toLowerCase();
	return search
		.toLowerCase()
		.split(/\s+/)
		.every((word) => text.includes(word));
}
