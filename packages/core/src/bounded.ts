/**
 * Keeps the latest entries: at least half of `sizeMax`, never more than `sizeMax`. A plain value.
 *
 * There are two generations, and the earlier one is dropped whole: deleting the oldest entries of a Map one by one walks
 * over all entries that were deleted before.
 */
export interface BoundedMap<K, V> {
	readonly sizeMax: number;
	latest: Map<K, V>;
	earlier: Map<K, V>;
}

export const boundedMap = <K, V>(sizeMax: number): BoundedMap<K, V> => ({
	sizeMax,
	latest: new Map(),
	earlier: new Map(),
});

export const boundedGet = <K, V>({ latest, earlier }: BoundedMap<K, V>, key: K): V | undefined =>
	latest.get(key) ?? earlier.get(key);

export function boundedSet<K, V>(map: BoundedMap<K, V>, key: K, value: V): void {
	map.latest.set(key, value);
	if (map.latest.size < map.sizeMax / 2) return;
	map.earlier = map.latest;
	map.latest = new Map();
}

/** A Map or a Set. */
interface Entries<K> {
	readonly size: number;
	keys(): Iterable<K>;
	delete(key: K): boolean;
}

/** Forgets what was entered first, where an entry more has made a Map or a Set of few entries too large. */
export function forgetOldest<K>(entries: Entries<K>, sizeMax: number): void {
	const [oldest] = entries.keys();
	if (entries.size > sizeMax) entries.delete(oldest!);
}
