import type { Item } from '../../wire/payload';
import { digest } from '../topics/event';
import { STORED_KEYS_MAX, STORED_KEYS_MIN } from '../limits';

/** The keys of acknowledged events as they are stored between runs. Plain JSON. */
export interface StoredKeys {
	/** Digests side by side in one text, oldest first. */
	keys?: string;
	/** No key among them is of anything younger: milliseconds of creation, or the sequence of public trades. */
	until?: number;
	/** The same for the keys that were dropped. */
	forgotten?: number;
}

/**
 * Remembers what was taken for the next run. A reading shows again what lies after the watermark, so the key of that is
 * kept, however much it is; of what lies before it, which readings leave alone, a few are kept for those that come late.
 */
export interface DeduplicationWindow {
	/** `place` is where it stands in its list, as in `until`. */
	add(key: string, place: number | undefined): void;
	/** Whether it was acknowledged in an earlier run. */
	had(key: string): boolean;
	/** Everything up to here may be told and not kept. */
	forget(place: number | undefined): void;
	/** Everything that is told and not kept stands at or before this. */
	forgotten(): number | undefined;
	stored(watermark: number | undefined): StoredKeys;
	/** The same without the keys that are not digested yet. */
	storedSoFar(watermark: number | undefined): StoredKeys;
	/** How many are not digested yet. */
	undigested(): number;
}

/** Cutting a long text for every single key would cost more than all the rest, so many go at a time, the more there are. */
const DROPPED_MIN = 100;
const DROPPED_SHARE = 0.05;
/** Sixty bits: fewer than one of fifty trillion new keys is mistaken for one of the 15,000 kept. */
const DIGEST_LENGTH = 10;
/** What is still to be dropped is stored, too. */
const READ_KEYS_MAX = Math.ceil(STORED_KEYS_MAX / (1 - DROPPED_SHARE));
const eachDigest = new RegExp(`.{${DIGEST_LENGTH}}`, 'g');

export function createDeduplicationWindow(given: StoredKeys, keysMax: number): DeduplicationWindow {
	let { keys: packed = '', until, forgotten } = given;
	const earlier = packed.match(eachDigest) ?? [];
	const wasTaken = new Set(earlier);
	/** By digest in `packed`, then by fresh key. Where each of an earlier run stood is not stored, so all count as the youngest of them. */
	let places = earlier.map(() => until);
	/** Digests are made when they are asked for, and only of what is still to be stored then: these are the youngest. */
	let fresh: string[] = [];

	/** How many of the oldest are not needed any more. */
	function surplus(watermark: number | undefined): number {
		const count = places.length;
		const least = Math.min(STORED_KEYS_MIN, keysMax);
		let gone = Math.max(0, count - keysMax);
		while (watermark !== undefined && count - gone > least && (places[gone] ?? 0) < watermark) gone += 1;
		return gone;
	}

	function drop(count: number): void {
		if (count === 0) return;
		for (let index = 0; index < count; index += 1) forgotten = latest(forgotten, places[index]);
		const digested = places.length - fresh.length;
		fresh = fresh.slice(Math.max(0, count - digested));
		packed = packed.slice(count * DIGEST_LENGTH);
		places = places.slice(count);
	}

	function storedSoFar(watermark: number | undefined): StoredKeys {
		const gone = surplus(watermark);
		if (gone >= Math.max(Math.min(DROPPED_MIN, keysMax), places.length * DROPPED_SHARE)) drop(gone);
		const kept: StoredKeys = { keys: packed };
		if (until !== undefined) kept.until = until;
		if (forgotten !== undefined) kept.forgotten = forgotten;
		return kept;
	}

	return {
		add: (key, place) => {
			fresh.push(key);
			places.push(place);
			until = latest(until, place);
			// Nobody may ever ask for what is stored.
			if (fresh.length >= 2 * keysMax) drop(surplus(undefined));
		},
		had: (key) => wasTaken.size > 0 && wasTaken.has(shortened(key)),
		forget: (place) => void (forgotten = latest(forgotten, place)),
		forgotten: () => forgotten,
		stored: (watermark) => {
			const kept = storedSoFar(watermark);
			packed += fresh.map(shortened).join('');
			fresh = [];
			kept.keys = packed;
			return kept;
		},
		storedSoFar,
		undigested: () => fresh.length,
	};
}

const shortened = (key: string): string => digest(key).slice(0, DIGEST_LENGTH);

export const latest = (one: number | undefined, other: number | undefined): number | undefined =>
	one === undefined || (other !== undefined && other > one) ? other : one;

/** What was stored may have been edited, cut or written by another version: only what has the right form is used. */
export function readStoredKeys({ keys, until, forgotten }: Item): StoredKeys {
	const isWhole = typeof keys === 'string' && keys.length % DIGEST_LENGTH === 0;
	return {
		keys: isWhole ? keys.slice(-READ_KEYS_MAX * DIGEST_LENGTH) : '',
		until: numberOf(until),
		forgotten: numberOf(forgotten),
	};
}

export const numberOf = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) ? value : undefined;
