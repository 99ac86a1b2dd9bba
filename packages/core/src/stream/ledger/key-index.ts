import { KEYS_MAX, KEYS_MIN } from '../limits';
import type { TopicEvent } from '../topics/event';
import { fingerprint, FINGERPRINT_LENGTH } from './fingerprint';
import { fingerprintsIn, forgetChunk, type KeyLog } from './keys';
import { latest } from './numbers';

/** Fingerprints of events, and the latest place among them; undefined if none of them has a place. */
interface Generation {
	prints: string[];
	until?: number;
}

/** The keys of everything a consumer was offered and of what its ledger holds, to look them up. */
export interface KeyIndex {
	prints: Set<string>;
	/** The same, oldest first, so that the oldest can be forgotten. */
	generations: Generation[];
	forgotten?: number;
	isUndatedForgotten?: true;
	/** By content, how many events of it with an identifier are known, where there are several. */
	slots: Map<string, number>;
	/** Whether any key is an alias. Without one, none has to be looked up. */
	hasAliases: boolean;
	/** Keys were forgotten that a reading may show again, because there were too many. */
	isOverrun?: boolean;
}

const GENERATION_MAX = 1_000;

export function indexOf({ chunks, forgotten, isUndatedForgotten }: KeyLog): KeyIndex {
	const index: KeyIndex = {
		prints: new Set(),
		generations: [],
		slots: new Map(),
		forgotten,
		isUndatedForgotten,
		hasAliases: false,
	};
	for (const [prints, until] of chunks) addPrints(index, fingerprintsIn(prints), until ?? undefined);
	return index;
}

/** The index is changed in place. */
export function addPrints(index: KeyIndex, prints: readonly string[], place: number | undefined): void {
	let last = index.generations[index.generations.length - 1];
	if (!last || last.prints.length >= GENERATION_MAX) index.generations.push((last = { prints: [] }));
	for (const print of prints) {
		index.prints.add(print);
		last.prints.push(print);
		index.hasAliases ||= print.startsWith(ALIAS);
	}
	last.until = latest(last.until, place);
}

/** `isRead`: whether lists are read, which alone show again what came long ago. */
type Source = { isRead: boolean; isNumbered: boolean };

/**
 * Forgets the oldest keys once there are many: those that readings leave alone, and all beyond the limit. Events without
 * a place go where the next with a place go, because they are older than those.
 */
export function forgetPrints(index: KeyIndex, settled: number | undefined, { isRead, isNumbered }: Source): void {
	const { prints, generations } = index;
	while (prints.size > KEYS_MIN && generations.length > 1) {
		const oldest = generations[0]!;
		const until = oldest.until ?? generations.find((one) => one.until !== undefined)?.until;
		const isSettled = !isRead || (settled !== undefined && until !== undefined && until <= settled);
		if (!isSettled && prints.size <= KEYS_MAX) return;
		generations.shift();
		for (const print of oldest.prints) prints.delete(print);
		// Numbers say which rows were read, so that those without a number need no more.
		if (isSettled || (isNumbered && oldest.until === undefined)) {
			if (until !== undefined) forgetChunk(index, until);
			continue;
		}
		forgetChunk(index, oldest.until ?? null);
		index.isOverrun = true;
	}
}

const ALIAS = '~';

/** An alias is known apart from keys: two events that share one are two, because a trade has two fills. */
const aliasPrint = (print: string): string => ALIAS + print.slice(1, FINGERPRINT_LENGTH);

/** Copies of one event may carry other identifiers, so its key is looked up as an alias, and its aliases as keys. */
export function hasEvent({ prints, hasAliases }: KeyIndex, { aliases }: TopicEvent, print: string): boolean {
	if (prints.has(print) || (hasAliases && prints.has(aliasPrint(print)))) return true;
	return aliases !== undefined && aliases.some((alias) => prints.has(fingerprint(alias)));
}

export const aliasPrintsOf = ({ aliases = [] }: TopicEvent): string[] =>
	aliases.map((alias) => aliasPrint(fingerprint(alias)));
