/**
 * Remembers the latest of many things: at least half the number given, never more than all of it.
 *
 * Two generations, of which the older is forgotten at once: taking the oldest out of a map one by one walks over all that
 * was taken out before.
 */
export interface BoundedMap<K, V> {
	get(key: K): V | undefined;
	set(key: K, value: V): void;
	values(): V[];
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
		values: () => [...new Map([...old, ...young]).values()],
	};
}

/** The same for names alone. */
export interface BoundedSet {
	has(name: string): boolean;
	/** Answers whether it was not remembered yet. */
	add(name: string): boolean;
	clear(): void;
}

export function createBoundedSet(sizeMax: number): BoundedSet {
	let young = new Set<string>();
	let old = new Set<string>();
	return {
		has: (name) => young.has(name) || old.has(name),
		add: (name) => {
			const before = young.size;
			young.add(name);
			const isNew = young.size > before && !old.has(name);
			if (young.size >= sizeMax / 2) {
				old = young;
				young = new Set();
			}
			return isNew;
		},
		clear: () => {
			young = new Set();
			old = new Set();
		},
	};
}
