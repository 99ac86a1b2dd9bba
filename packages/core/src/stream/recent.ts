/** Remembers the latest of many things: at least half the number given, never more than all of it. */
export interface Recent<K, V = true> {
	has(key: K): boolean;
	get(key: K): V | undefined;
	set(key: K, value: V): void;
	values(): V[];
}

/**
 * Two generations, of which the older is forgotten at once: taking the oldest out of a map one by one walks over all that
 * was taken out before.
 */
export function createRecent<K, V = true>(sizeMax: number): Recent<K, V> {
	let young = new Map<K, V>();
	let old = new Map<K, V>();
	return {
		has: (key) => young.has(key) || old.has(key),
		get: (key) => young.get(key) ?? old.get(key),
		set: (key, value) => {
			young.set(key, value);
			if (young.size < sizeMax / 2) return;
			old = young;
			young = new Map();
		},
		values: () => [...new Map([...old, ...young]).values()],
	};
}
