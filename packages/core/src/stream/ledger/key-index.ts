import type { Whole } from '../../whole';
import { KEYS_MAX, KEYS_MIN } from '../limits';
import type { TopicEvent } from '../topics/event';
import { ALIAS, fingerprint, FINGERPRINT_LENGTH } from './fingerprint';
import { fingerprintsIn, firstPlace, type KeyLog } from './keys';
import { latest } from './numbers';
import { addKey, BLOCK, BLOCK_BITS, holdBlock, numberOf, releaseBlock, type TopicKeys } from './topic-keys';

/** What a subscriber was offered of one block of keys. */
interface Generation {
	count: number;
	/** The latest place among them; undefined if none of them has a place. */
	until?: Whole;
}

/** The keys of everything a subscriber was offered and of what its ledger holds, to look them up. */
export interface KeyIndex {
	/** The keys of all subscribers of the topic, by number. */
	all: TopicKeys;
	/** What this subscriber was offered: a bit for each number. */
	bits: Int32Array;
	/** A count for each block, in the order of its first key, so that the oldest can be forgotten. */
	generations: Map<number, Generation>;
	count: number;
	forgotten?: Whole;
	isUndatedForgotten?: true;
	/** By content, how many events of it with an identifier are known, where there are several. */
	slots: Map<string, number>;
	/** Keys were forgotten that the next backfill may show again, because there were too many, and whether that was told. */
	overrun?: 'untold' | 'told';
}

/** The latest are kept, because the rows of one part of a backfill are not offered in the order of the list. */
const GENERATIONS_MIN = Math.ceil(KEYS_MIN / BLOCK);

export function indexOf({ chunks, forgotten, isUndatedForgotten }: KeyLog, all: TopicKeys): KeyIndex {
	const index: KeyIndex = {
		all,
		bits: new Int32Array(0),
		generations: new Map(),
		count: 0,
		slots: new Map(),
		forgotten,
		isUndatedForgotten,
	};
	for (const [prints, until] of chunks) addPrints(index, fingerprintsIn(prints), until ?? undefined);
	return index;
}

export function hasPrint({ all, bits }: KeyIndex, print: string): boolean {
	const number = numberOf(all, print);
	return number >= 0 && (bits[number >> 5]! & (1 << (number & 31))) !== 0;
}

/** Returns whether another generation began. The index is changed in place. */
export function addPrints(index: KeyIndex, prints: readonly string[], place: Whole | undefined): boolean {
	const { all, generations } = index;
	const before = generations.size;
	for (const print of prints) {
		const number = addKey(all, print);
		const generation = generations.get(number >> BLOCK_BITS) ?? beginGeneration(index, number >> BLOCK_BITS);
		generation.until = latest(generation.until, place);
		const [at, bit] = [number >> 5, 1 << (number & 31)];
		if ((index.bits[at]! & bit) !== 0) continue;
		index.bits[at]! |= bit;
		generation.count += 1;
		index.count += 1;
	}
	return generations.size > before;
}

function beginGeneration(index: KeyIndex, block: number): Generation {
	const generation = { count: 0, until: undefined };
	index.generations.set(block, generation);
	holdBlock(index.all, block);
	const least = ((block + 1) * BLOCK) / 32;
	if (index.bits.length >= least) return generation;
	const { bits } = index;
	index.bits = new Int32Array(Math.max(least, 2 * bits.length));
	index.bits.set(bits);
	return generation;
}

function drop(index: KeyIndex, block: number): void {
	index.count -= index.generations.get(block)!.count;
	index.generations.delete(block);
	index.bits.fill(0, (block * BLOCK) / 32, ((block + 1) * BLOCK) / 32);
	releaseBlock(index.all, block);
}

/** The subscriber left: keys that nobody else has are forgotten. */
export function dropAll(index: KeyIndex): void {
	for (const block of index.generations.keys()) drop(index, block);
}

/** `isRead`: whether lists are read, which alone show again what came long ago. */
type Source = { isRead: boolean; isNumbered: boolean };

/**
 * Forgets the keys that stand first in their list once there are many: those that readings leave alone, and all beyond
 * the limit.
 */
export function forgetPrints(index: KeyIndex, settled: Whole | undefined, { isRead, isNumbered }: Source): void {
	const { generations } = index;
	while (index.count > KEYS_MIN && generations.size > GENERATIONS_MIN) {
		const old = [...generations].slice(0, -GENERATIONS_MIN);
		const { index: first, place } = isRead ? firstPlace(old.map(([, { until }]) => until)) : { index: 0 };
		const isSettled = !isRead || (settled !== undefined && place !== undefined && place <= settled);
		if (!isSettled && index.count <= KEYS_MAX) return;
		const [block, gone] = old[first]!;
		drop(index, block);
		const until = isSettled ? place : gone.until;
		if (until !== undefined) index.forgotten = latest(index.forgotten, until);
		// Numbers say which rows were read, so that events without a number need no more.
		if (isSettled || (isNumbered && until === undefined)) continue;
		if (until === undefined) index.isUndatedForgotten = true;
		index.overrun ??= 'untold';
	}
}

/** Whether keys were forgotten, since the last complete backfill, whose events the next one may show. True once. */
export function tellsOverrun(index: KeyIndex): boolean {
	const isUntold = index.overrun === 'untold';
	if (isUntold) index.overrun = 'told';
	return isUntold;
}

/** An alias is known apart from keys: two events that share one are two, because a trade has two fills. */
const aliasPrint = (print: string): string => ALIAS + print.slice(1, FINGERPRINT_LENGTH);

/** Copies of one event may carry other identifiers, so its key is looked up as an alias, and its aliases as keys. */
export function hasEvent(index: KeyIndex, { aliases }: TopicEvent, print: string): boolean {
	if (hasPrint(index, print) || (index.all.hasAliases && hasPrint(index, aliasPrint(print)))) return true;
	return aliases !== undefined && aliases.some((alias) => hasPrint(index, fingerprint(alias)));
}

export const aliasPrintsOf = ({ aliases = [] }: TopicEvent): string[] =>
	aliases.map((alias) => aliasPrint(fingerprint(alias)));
