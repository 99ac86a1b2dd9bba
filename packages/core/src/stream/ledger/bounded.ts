/**
 * Keeps the latest entries: at least half of `sizeMax`, never more than `sizeMax`.
 *
 * There are two generations, and the older is dropped whole: deleting the oldest entries of a Map one by one walks over
 * all entries that were deleted before.
 */
export interface BoundedMap<K, V> {
	get(key: K): V | undefined;
	set(key: K, value: V): void;
}

export function createBoundedMap<K, V>(sizeMax: number): BoundedMap<K, V> {
	let young = new Map<K, V>();
	let old = new Map<K, V>();
	return {
		get: (key) => young.get(key) ?? old.get(key),
		set: (key, value) => {
			young.set(key, value);
			if (young.size < sizeMax / 2) return;
			old = young;
			young = new Map();
		},
	};
}
