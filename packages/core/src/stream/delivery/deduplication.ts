import type { Item } from '../../wire/payload';
import { digest } from '../topics/event';
import { STORED_KEYS_MAX, STORED_KEYS_MIN } from '../limits';

/** The keys of acknowledged events as they are stored between runs. Plain JSON. */
export interface StoredKeys {
	/** Digests side by side in one text, oldest first. */
	keys?: string;
	/** The latest place among these keys: milliseconds of creation, or the sequence of a public trade. */
	until?: number;
	/** The same for the keys that were dropped. */
	forgotten?: number;
}

/**
 * Remembers the keys of acknowledged events for the next run. A backfill reads the events after the watermark again, so
 * all their keys are kept, up to the limit. Of earlier events a few keys are kept, because copies may arrive late.
 */
export interface DeduplicationWindow {
	/** `place` is the event's place in its list, as in `until`. */
	add(key: string, place: number | undefined): void;
	/** Whether the event of a key was acknowledged in an earlier run. */
	had(key: string): boolean;
	/** Events up to this place may have been delivered although their keys are not kept. */
	forget(place: number | undefined): void;
	/** All delivered events whose keys are not kept lie at or before this place. */
	forgotten(): number | undefined;
	stored(watermark: number | undefined): StoredKeys;
	/** The same without the keys that are not digested yet. */
	storedSoFar(watermark: number | undefined): StoredKeys;
	/** How many keys are not digested yet. */
	undigested(): number;
}

/** Keys are dropped in batches that grow with their number, because cutting a long text for each key is slow. */
const DROPPED_MIN = 100;
const DROPPED_SHARE = 0.05;
/** Sixty bits: fewer than one of fifty trillion new keys is mistaken for one of the 15,000 kept. */
const DIGEST_LENGTH = 10;
/** Keys that wait for the next batch to be dropped are stored, too. */
const READ_KEYS_MAX = Math.ceil(STORED_KEYS_MAX / (1 - DROPPED_SHARE));
const eachDigest = new RegExp(`.{${DIGEST_LENGTH}}`, 'g');

export function createDeduplicationWindow(given: StoredKeys, keysMax: number): DeduplicationWindow {
	let { keys: packed = '', until, forgotten } = given;
	const earlier = packed.match(eachDigest) ?? [];
	const wasTaken = new Set(earlier);
	/** The places of the keys in `packed`, then of the fresh ones. Earlier runs stored only their latest place. */
	const places = earlier.map(() => until);
	/** The latest keys, not digested yet: digests are computed on storing, for the keys that are still kept then. */
	let fresh: string[] = [];

	/** How many of the oldest keys are no longer needed. */
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
		fresh.splice(0, Math.max(0, count - digested));
		packed = packed.slice(count * DIGEST_LENGTH);
		places.splice(0, count);
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
			// A host that stores nothing never calls `stored`, so the number of keys is limited here, too.
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

/** A stored checkpoint may have been edited, truncated or written by another version: malformed parts are ignored. */
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
