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

/** The same for names alone. They are only lined up until somebody asks for one, because most never are. */
export interface BoundedSet {
	has(name: string): boolean;
	/** Adds one, which is not asked for again if it is known to be new. */
	add(name: string, isNew?: boolean): void;
	clear(): void;
}

export function createBoundedSet(sizeMax: number): BoundedSet {
	let young = createGeneration();
	let old = createGeneration();
	return {
		has: (name) => young.has(name) || old.has(name),
		add: (name, isNew = false) => {
			if (!isNew && young.has(name)) return;
			if (young.add(name) < sizeMax / 2) return;
			old = young;
			young = createGeneration();
		},
		clear: () => {
			young = createGeneration();
			old = createGeneration();
		},
	};
}

function createGeneration() {
	const names: string[] = [];
	const known = new Set<string>();
	let indexed = 0;
	return {
		has: (name: string): boolean => {
			for (; indexed < names.length; indexed += 1) known.add(names[indexed]!);
			return known.has(name);
		},
		/** Answers how many there are. */
		add: (name: string): number => names.push(name),
	};
}
