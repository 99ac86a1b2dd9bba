import { wholeOf, written, type Whole } from '../../whole';
import { isItem } from '../../wire/payload';
import { FINGERPRINT_LENGTH } from './fingerprint';
import { latest, numberOf } from './numbers';
import { forgetText, shareText, type TopicKeys } from './topic-keys';

/** Fingerprints side by side in one text, and the latest place among their events; null if none of them has a place. */
export type KeyChunk = readonly [prints: string, until: Whole | null];

/**
 * The keys of acknowledged events, in order of arrival, as chunks of up to `CHUNK_KEYS` fingerprints. A checkpoint
 * holds them.
 */
export interface KeyLog {
	chunks: KeyChunk[];
	/** The keys of all subscribers of the topic, which share the texts of full chunks. */
	all?: TopicKeys;
	/**
	 * Keys up to this place were forgotten: an event before it may have been delivered although its key is not in the
	 * log.
	 */
	forgotten?: Whole;
	/** Keys of events without a place were forgotten. */
	isUndatedForgotten?: true;
}

/** Keys of a full chunk. Keys are forgotten one chunk at a time. */
export const CHUNK_KEYS = 200;
const CHUNK_LENGTH = CHUNK_KEYS * FINGERPRINT_LENGTH;

/** Adds the fingerprints of one event; returns whether a chunk became full. The log is changed in place. */
export function addKeys({ chunks, all }: KeyLog, prints: string, place: Whole | undefined): boolean {
	const last = chunks[chunks.length - 1];
	if (!last || isComplete(last[0])) return chunks.push([prints, place ?? null]) < 0;
	const grown = last[0] + prints;
	const isFull = isComplete(grown);
	// A text that grew piece by piece holds all its pieces, six times its size, until it is put together anew.
	const whole = isFull ? fingerprintsIn(grown).join('') : grown;
	const text = isFull && all ? shareText(all, whole) : whole;
	chunks[chunks.length - 1] = [text, latest(last[1] ?? undefined, place) ?? null];
	return isFull;
}

/**
 * Whether a chunk has its last key: it is full, or the key says so. Subscribers that began at different keys have the same
 * chunks from the first such key on.
 */
const isComplete = (prints: string): boolean => prints.length >= CHUNK_LENGTH || prints.endsWith('AA');

/**
 * Forgets the keys that stand first in their list: those that readings leave alone, while more than `min` are left, and
 * all beyond `max`. A list may be read from its end, so keys that came first may be the last ones to forget.
 */
export function forgetKeys(log: KeyLog, settled: Whole | undefined, { min, max }: { min: number; max: number }): void {
	let count = log.chunks.reduce((sum, [prints]) => sum + prints.length, 0) / FINGERPRINT_LENGTH;
	while (log.chunks.length > 0) {
		const { index, place } = firstPlace(log.chunks.map(([, until]) => until ?? undefined));
		const [prints, until] = log.chunks[index]!;
		const left = count - prints.length / FINGERPRINT_LENGTH;
		const isSettled = settled !== undefined && place !== undefined && place < settled;
		if (count <= max && !(isSettled && left >= min)) return;
		forgetChunk(log, isSettled ? place : until);
		if (log.all) forgetText(log.all, prints);
		log.chunks.splice(index, 1);
		count = left;
	}
}

/**
 * Which of several groups of events, in order of arrival, stands first in its list. A group without a place stands where
 * the next one with a place does, because it is older than that.
 */
export function firstPlace(places: readonly (Whole | undefined)[]): { index: number; place?: Whole } {
	let first: { index: number; place?: Whole } = { index: 0 };
	let next: Whole | undefined;
	for (let index = places.length - 1; index >= 0; index -= 1) {
		next = places[index] ?? next;
		if (next === undefined || next <= (first.place ?? Infinity)) first = { index, place: next };
	}
	return first;
}

function forgetChunk(log: Pick<KeyLog, 'forgotten' | 'isUndatedForgotten'>, until: Whole | null): void {
	if (until === null) log.isUndatedForgotten = true;
	else log.forgotten = latest(log.forgotten, until);
}

export function fingerprintsIn(prints: string): string[] {
	const all: string[] = [];
	for (let at = 0; at < prints.length; at += FINGERPRINT_LENGTH) all.push(prints.slice(at, at + FINGERPRINT_LENGTH));
	return all;
}

/** A stored checkpoint may have been edited or truncated: malformed parts are ignored. */
export function readKeys(stored: unknown): KeyLog {
	if (!isItem(stored)) return { chunks: [] };
	const isChunk = (chunk: unknown): chunk is StoredChunk =>
		Array.isArray(chunk) &&
		typeof chunk[0] === 'string' &&
		chunk[0].length % FINGERPRINT_LENGTH === 0 &&
		(chunk[1] === null || placeOf(chunk[1]) !== undefined);
	return {
		chunks: Array.isArray(stored.keys)
			? stored.keys.filter(isChunk).map(([prints, until]) => [prints, placeOf(until) ?? null])
			: [],
		forgotten: placeOf(stored.forgotten),
		isUndatedForgotten: stored.undatedForgotten === true ? true : undefined,
	};
}

/** A chunk as a checkpoint holds it: the place as text where a number would be rounded. */
export type StoredChunk = readonly [prints: string, until: number | string | null];

export const storedChunk = ([prints, until]: KeyChunk): StoredChunk => [prints, until === null ? null : written(until)];

/** A number, or milliseconds, which may have fractions. */
const placeOf = (stored: unknown): Whole | undefined => numberOf(stored) ?? wholeOf(stored);
