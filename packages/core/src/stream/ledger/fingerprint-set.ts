import { letterValues } from './fingerprint';

/** A set of fingerprints, and of aliases. */
export interface FingerprintSet {
	has(print: string): boolean;
	add(print: string): void;
	delete(print: string): void;
	size(): number;
}

const SLOTS_MIN = 64;
/** A fuller table is doubled, */
const FULL = 0.75;
/** and an emptier one halved. */
const EMPTY = 0.15;
/** Marks a slot that is taken: the two numbers of a fingerprint may both be zero. */
const USED = 1 << 31;

/**
 * Holds each fingerprint as two numbers of thirty bits in a table with open addressing: it stands in the slot its second
 * number names, or in the next free one. As texts in a Set they would take four times the memory and the time.
 */
export function createFingerprintSet(): FingerprintSet {
	let slots = new Int32Array(2 * SLOTS_MIN);
	let mask = SLOTS_MIN - 1;
	let size = 0;

	/** The slot of a fingerprint, or the free one where it belongs. */
	function slotOf(upper: number, lower: number): number {
		let slot = lower & mask;
		while (slots[2 * slot] !== 0 && !(slots[2 * slot] === upper && slots[2 * slot + 1] === lower))
			slot = (slot + 1) & mask;
		return slot;
	}

	function put(slot: number, upper: number, lower: number): void {
		slots[2 * slot] = upper;
		slots[2 * slot + 1] = lower;
	}

	function resize(count: number): void {
		const before = slots;
		slots = new Int32Array(2 * count);
		mask = count - 1;
		for (let at = 0; at < before.length; at += 2)
			if (before[at] !== 0) put(slotOf(before[at]!, before[at + 1]!), before[at]!, before[at + 1]!);
	}

	/** Moves those behind a freed slot that belong before it, so that no search ends at a hole. */
	function close(freed: number): void {
		let hole = freed;
		for (let slot = (hole + 1) & mask; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
			const distance = (slot - slots[2 * slot + 1]!) & mask;
			if (distance < ((slot - hole) & mask)) continue;
			put(hole, slots[2 * slot]!, slots[2 * slot + 1]!);
			hole = slot;
		}
		put(hole, 0, 0);
	}

	return {
		has: (print) => slots[2 * slotOf(upperOf(print), lowerOf(print))] !== 0,
		add: (print) => {
			const [upper, lower] = [upperOf(print), lowerOf(print)];
			const slot = slotOf(upper, lower);
			if (slots[2 * slot] !== 0) return;
			put(slot, upper, lower);
			size += 1;
			if (size > FULL * (mask + 1)) resize(2 * (mask + 1));
		},
		delete: (print) => {
			const slot = slotOf(upperOf(print), lowerOf(print));
			if (slots[2 * slot] === 0) return;
			close(slot);
			size -= 1;
			if (mask >= SLOTS_MIN && size < EMPTY * (mask + 1)) resize((mask + 1) / 2);
		},
		size: () => size,
	};
}

const upperOf = (print: string): number => USED | numberAt(print, 0);
const lowerOf = (print: string): number => numberAt(print, 5);

/** Five letters of six bits. The sign of an alias, which can stand first alone, is a bit more. */
const numberAt = (print: string, at: number): number =>
	(letterValues[print.charCodeAt(at)]! << 24) |
	(letterValues[print.charCodeAt(at + 1)]! << 18) |
	(letterValues[print.charCodeAt(at + 2)]! << 12) |
	(letterValues[print.charCodeAt(at + 3)]! << 6) |
	letterValues[print.charCodeAt(at + 4)]!;
