import { KEYS_MAX, KEYS_MIN } from '../limits';
import type { TopicEvent } from '../topics/event';
import { ALIAS, fingerprint, FINGERPRINT_LENGTH } from './fingerprint';
import { createFingerprintSet, type FingerprintSet } from './fingerprint-set';
import { fingerprintsIn, firstPlace, type KeyLog } from './keys';
import { latest } from './numbers';

/** Fingerprints of events, and the latest place among them; undefined if none of them has a place. */
interface Generation {
	/** One text once there are enough of them. */
	prints: string[] | string;
	until?: number;
}

/** The keys of everything a subscriber was offered and of what its ledger holds, to look them up. */
export interface KeyIndex {
	prints: FingerprintSet;
	/** The same, oldest first, so that the oldest can be forgotten. */
	generations: Generation[];
	forgotten?: number;
	isUndatedForgotten?: true;
	/** By content, how many events of it with an identifier are known, where there are several. */
	slots: Map<string, number>;
	/** Whether any key is an alias. Without one, none has to be looked up. */
	hasAliases: boolean;
	/** Keys were forgotten that the next backfill may show again, because there were too many, and whether that was told. */
	overrun?: 'untold' | 'told';
}

const GENERATION_MAX = 1_000;
/** The latest are kept, because the rows of one part of a backfill are not offered in the order of the list. */
const GENERATIONS_MIN = KEYS_MIN / GENERATION_MAX;

export function indexOf({ chunks, forgotten, isUndatedForgotten }: KeyLog): KeyIndex {
	const index: KeyIndex = {
		prints: createFingerprintSet(),
		generations: [],
		slots: new Map(),
		forgotten,
		isUndatedForgotten,
		hasAliases: false,
	};
	for (const [prints, until] of chunks) addPrints(index, fingerprintsIn(prints), until ?? undefined);
	return index;
}

/** Returns whether a generation became full. The index is changed in place. */
export function addPrints(index: KeyIndex, prints: readonly string[], place: number | undefined): boolean {
	let last = index.generations[index.generations.length - 1];
	if (!last || typeof last.prints === 'string') index.generations.push((last = { prints: [] }));
	const young = last.prints as string[];
	for (const print of prints) {
		index.prints.add(print);
		young.push(print);
		index.hasAliases ||= print.startsWith(ALIAS);
	}
	last.until = latest(last.until, place);
	if (young.length >= GENERATION_MAX) last.prints = young.join('');
	return last.prints.length >= GENERATION_MAX;
}

/** `isRead`: whether lists are read, which alone show again what came long ago. */
type Source = { isRead: boolean; isNumbered: boolean };

/**
 * Forgets the keys that stand first in their list once there are many: those that readings leave alone, and all beyond
 * the limit.
 */
export function forgetPrints(index: KeyIndex, settled: number | undefined, { isRead, isNumbered }: Source): void {
	const { prints, generations } = index;
	while (prints.size() > KEYS_MIN && generations.length > GENERATIONS_MIN) {
		const places = generations.slice(0, -GENERATIONS_MIN).map(({ until }) => until);
		const { index: first, place } = isRead ? firstPlace(places) : { index: 0 };
		const isSettled = !isRead || (settled !== undefined && place !== undefined && place <= settled);
		if (!isSettled && prints.size() <= KEYS_MAX) return;
		const [gone] = generations.splice(first, 1);
		for (const print of printsOf(gone!)) prints.delete(print);
		const until = isSettled ? place : gone!.until;
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

const printsOf = ({ prints }: Generation): readonly string[] =>
	typeof prints === 'string' ? fingerprintsIn(prints) : prints;

/** An alias is known apart from keys: two events that share one are two, because a trade has two fills. */
const aliasPrint = (print: string): string => ALIAS + print.slice(1, FINGERPRINT_LENGTH);

/** Copies of one event may carry other identifiers, so its key is looked up as an alias, and its aliases as keys. */
export function hasEvent({ prints, hasAliases }: KeyIndex, { aliases }: TopicEvent, print: string): boolean {
	if (prints.has(print) || (hasAliases && prints.has(aliasPrint(print)))) return true;
	return aliases !== undefined && aliases.some((alias) => prints.has(fingerprint(alias)));
}

export const aliasPrintsOf = ({ aliases = [] }: TopicEvent): string[] =>
	aliases.map((alias) => aliasPrint(fingerprint(alias)));
