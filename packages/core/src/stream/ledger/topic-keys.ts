import { ALIAS, FINGERPRINT_LENGTH, letterValues } from './fingerprint';

/**
 * The keys of one topic, each once for all its subscribers, and each under a number. So what a subscriber was offered is
 * a bit for each number. Numbers are given in blocks, and a block is free again once no subscriber holds it.
 */
export interface TopicKeys {
	/** The fingerprint of number n, in halves of thirty bits, at the indexes 2n and 2n + 1. */
	prints: Int32Array;
	/**
	 * Finds the number of a fingerprint, by open addressing: the number plus one is in the slot that the second half of
	 * the fingerprint names, or in the next free one. A slot of 0 is empty.
	 */
	slots: Int32Array;
	size: number;
	/** The number the next key gets. At a multiple of `BLOCK` a new block begins first. */
	next: number;
	/** By block: how many subscribers were offered a key of it. */
	holders: number[];
	/** The blocks that no subscriber needs any more. */
	free: number[];
	/** Texts of fingerprints that subscribers store, by the number of the last. Those who store the same share one. */
	texts: Map<number, string>;
	/** Whether any key is an alias. Without one, none has to be looked up. */
	hasAliases: boolean;
}

export const BLOCK_BITS = 10;
/** Keys of a block. */
export const BLOCK = 1 << BLOCK_BITS;
const SLOTS_MIN = 64;
/** If a larger share of the slots is used, their number is doubled. */
const FULL = 0.75;
/** If a smaller share of the slots is used, their number is halved. */
const EMPTY = 0.15;

export const noTopicKeys = (): TopicKeys => ({
	prints: new Int32Array(0),
	slots: new Int32Array(SLOTS_MIN),
	size: 0,
	next: 0,
	holders: [],
	free: [],
	texts: new Map(),
	hasAliases: false,
});

/** The number of a fingerprint; -1 if no subscriber knows it. */
export const numberOf = (keys: TopicKeys, print: string): number =>
	keys.slots[slotOf(keys, upperOf(print), lowerOf(print))]! - 1;

/** The number of a fingerprint, which gets one if it has none. */
export function addKey(keys: TopicKeys, print: string): number {
	const [upper, lower] = [upperOf(print), lowerOf(print)];
	const slot = slotOf(keys, upper, lower);
	if (keys.slots[slot] !== 0) return keys.slots[slot]! - 1;
	if (keys.next % BLOCK === 0) keys.next = beginBlock(keys);
	const number = keys.next;
	keys.next += 1;
	keys.prints[2 * number] = upper;
	keys.prints[2 * number + 1] = lower;
	keys.slots[slot] = number + 1;
	keys.size += 1;
	keys.hasAliases ||= print.startsWith(ALIAS);
	if (keys.size > FULL * keys.slots.length) resize(keys, 2 * keys.slots.length);
	return number;
}

/** The same text of fingerprints, kept once. */
export function shareText(keys: TopicKeys, text: string): string {
	const last = numberOf(keys, text.slice(-FINGERPRINT_LENGTH));
	const before = keys.texts.get(last);
	if (before === text) return before;
	if (last >= 0) keys.texts.set(last, text);
	return text;
}

/** A subscriber stores it no longer. Others may, but those who come later share it no more. */
export function forgetText(keys: TopicKeys, text: string): void {
	keys.texts.delete(numberOf(keys, text.slice(-FINGERPRINT_LENGTH)));
}

export function holdBlock({ holders }: TopicKeys, block: number): void {
	holders[block]! += 1;
}

/** Forgets the keys of a block once no subscriber holds it. */
export function releaseBlock(keys: TopicKeys, block: number): void {
	keys.holders[block]! -= 1;
	if (keys.holders[block] !== 0) return;
	const isYoungest = keys.next % BLOCK !== 0 && keys.next >> BLOCK_BITS === block;
	const end = isYoungest ? keys.next : (block + 1) * BLOCK;
	for (let number = block * BLOCK; number < end; number += 1) remove(keys, number);
	keys.free.push(block);
	if (isYoungest) keys.next = 0;
	if (keys.slots.length > SLOTS_MIN && keys.size < EMPTY * keys.slots.length) resize(keys, keys.slots.length / 2);
	if (keys.size === 0) Object.assign(keys, noTopicKeys());
}

/** The first number of a new block. */
function beginBlock(keys: TopicKeys): number {
	const block = keys.free.pop() ?? keys.holders.length;
	keys.holders[block] = 0;
	const least = 2 * (block + 1) * BLOCK;
	if (keys.prints.length < least) {
		const before = keys.prints;
		keys.prints = new Int32Array(Math.max(least, 2 * before.length));
		keys.prints.set(before);
	}
	return block * BLOCK;
}

/** The slot of a fingerprint, or the free one where it belongs. */
function slotOf({ slots, prints }: TopicKeys, upper: number, lower: number): number {
	const mask = slots.length - 1;
	let slot = lower & mask;
	for (let number = slots[slot]!; number !== 0; number = slots[slot]!) {
		if (prints[2 * number - 2] === upper && prints[2 * number - 1] === lower) break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

/** Frees the slot of a number, and moves those behind it that belong before it, so that no search ends at a hole. */
function remove(keys: TopicKeys, number: number): void {
	const { slots, prints } = keys;
	const mask = slots.length - 1;
	let hole = slotOf(keys, prints[2 * number]!, prints[2 * number + 1]!);
	for (let slot = (hole + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
		const distance = (slot - prints[2 * slots[slot]! - 1]!) & mask;
		if (distance < ((slot - hole) & mask)) continue;
		slots[hole] = slots[slot]!;
		hole = slot;
	}
	slots[hole] = 0;
	keys.texts.delete(number);
	keys.size -= 1;
}

function resize(keys: TopicKeys, count: number): void {
	const before = keys.slots;
	keys.slots = new Int32Array(count);
	for (const number of before)
		if (number !== 0) keys.slots[slotOf(keys, keys.prints[2 * number - 2]!, keys.prints[2 * number - 1]!)] = number;
}

const upperOf = (print: string): number => numberAt(print, 0);
const lowerOf = (print: string): number => numberAt(print, 5);

/** Five letters of six bits. The sign of an alias, which can stand first alone, is a bit more. */
const numberAt = (print: string, at: number): number =>
	(letterValues[print.charCodeAt(at)]! << 24) |
	(letterValues[print.charCodeAt(at + 1)]! << 18) |
	(letterValues[print.charCodeAt(at + 2)]! << 12) |
	(letterValues[print.charCodeAt(at + 3)]! << 6) |
	letterValues[print.charCodeAt(at + 4)]!;
