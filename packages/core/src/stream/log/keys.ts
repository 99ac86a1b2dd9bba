import type { Whole } from '../../whole';

/**
 * Sixty bits of a key, which stand for it wherever it is remembered, in checkpoints, too. With a million remembered
 * keys, fewer than one in a trillion new ones is mistaken for one of them. It is no secret and proves nothing, so it
 * need not be slow.
 */
export interface Print {
	readonly high: number;
	readonly low: number;
}

const { imul } = Math;

export function printOf(key: string): Print {
	let first = 0xdeadbeef;
	let two = 0x41c6ce57;
	for (let at = 0; at < key.length; at += 1) {
		const code = key.charCodeAt(at);
		first = imul(first ^ code, 0x9e3779b1);
		two = imul(two ^ code, 0x5f356495);
	}
	// Both halves go into each other, so that every letter depends on all of the text.
	first = imul(first ^ (first >>> 16), 0x85ebca6b) ^ imul(two ^ (two >>> 13), 0xc2b2ae35);
	two = imul(two ^ (two >>> 16), 0x85ebca6b) ^ imul(first ^ (first >>> 13), 0xc2b2ae35);
	return { high: first >>> 2, low: two >>> 2 };
}

/** An alias is known apart from keys: two events that share one are two, because a trade has two fills. */
export const aliasOf = ({ high, low }: Print): Print => ({ high, low: low ^ 1 });

/** Characters of a print as text, six bits each. */
export const PRINT_LENGTH = 10;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const SHIFTS = [24, 18, 12, 6, 0];

export function printText({ high, low }: Print): string {
	let text = '';
	for (const half of [high, low]) for (const shift of SHIFTS) text += alphabet[(half >>> shift) & 63]!;
	return text;
}

/** The print whose text begins at a place. */
export function printAt(text: string, at: number): Print {
	const half = (from: number): number =>
		SHIFTS.reduce((bits, shift, index) => bits | (alphabet.indexOf(text[from + index]!) << shift), 0);
	return { high: half(at), low: half(at + PRINT_LENGTH / 2) };
}

/**
 * Remembered keys in order of arrival, each with its place and the offset of its entry. Three lists and a table of numbers, because
 * a Map of the texts takes six times the memory, and longer for each event than all else that is done with it.
 */
export interface Keys {
	size: number;
	/** The halves of each print. */
	prints: Int32Array;
	/** Not a number where a key has none. */
	places: Whole[];
	offsets: number[];
	/** By the bits of a print, one more than the index of its key; zero in a free slot. At least half of them are free. */
	slots: Int32Array;
}

/** Makes an empty table with room for this many keys. */
export function noKeys(room = 0): Keys {
	const slots = 2 ** Math.ceil(Math.log2(2 * room + 16));
	return { size: 0, prints: new Int32Array(slots), places: [], offsets: [], slots: new Int32Array(slots) };
}

export const hasKey = (keys: Keys, print: Print): boolean => keys.slots[slotOf(keys, print)] !== 0;

/** The slot of a print, or the one where it belongs. */
function slotOf({ slots, prints }: Keys, { high, low }: Print): number {
	const mask = slots.length - 1;
	let slot = low & mask;
	for (;;) {
		const at = 2 * slots[slot]!;
		if (at === 0 || (prints[at - 2] === high && prints[at - 1] === low)) return slot;
		slot = (slot + 1) & mask;
	}
}

/** Adds a key. A known key keeps its turn and its entry, and gets the new place. */
export function addKey(keys: Keys, print: Print, place: Whole = Number.NaN, offset = 0): void {
	const slot = slotOf(keys, print);
	const known = keys.slots[slot]!;
	if (known > 0) return void (keys.places[known - 1] = place);
	const { size } = keys;
	keys.prints[2 * size] = print.high;
	keys.prints[2 * size + 1] = print.low;
	keys.places.push(place);
	keys.offsets.push(offset);
	keys.slots[slot] = keys.size += 1;
	if (2 * keys.size === keys.slots.length) grow(keys);
}

function grow(keys: Keys): void {
	const { prints, slots, size } = keys;
	keys.prints = new Int32Array(2 * prints.length);
	keys.prints.set(prints);
	keys.slots = new Int32Array(2 * slots.length);
	for (let index = 0; index < size; index += 1) keys.slots[slotOf(keys, printIn(keys, index))] = index + 1;
}

export const printIn = ({ prints }: Keys, index: number): Print => ({
	high: prints[2 * index]!,
	low: prints[2 * index + 1]!,
});

export function placeIn({ places }: Keys, index: number): Whole | undefined {
	const place = places[index];
	return Number.isNaN(place) ? undefined : place;
}

/** The indices of the keys that pass. */
export function indicesThat({ size }: Keys, passes: (index: number) => boolean): number[] {
	const passing: number[] = [];
	for (let index = 0; index < size; index += 1) if (passes(index)) passing.push(index);
	return passing;
}

/** A copy of some keys, by their indices. */
export function keysAt(keys: Keys, indices: readonly number[]): Keys {
	const some = noKeys(indices.length);
	for (const index of indices) addKey(some, printIn(keys, index), keys.places[index], keys.offsets[index]);
	return some;
}
