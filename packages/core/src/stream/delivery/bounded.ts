/**
 * Keeps the latest entries: at least half of `sizeMax`, never more than `sizeMax`.
 *
 * There are two generations, and the older is dropped whole: deleting the oldest entries of a Map one by one walks over
 * all entries that were deleted before.
 */
export interface BoundedMap<K, V> {
	get(key: K): V | undefined;
	set(key: K, value: V): void;
	/** Whether any entry was dropped. */
	hasForgotten(): boolean;
}

export function createBoundedMap<K, V>(sizeMax: number): BoundedMap<K, V> {
	let young = new Map<K, V>();
	let old = new Map<K, V>();
	let hasForgotten = false;
	return {
		get: (key) => young.get(key) ?? old.get(key),
		set: (key, value) => {
			young.set(key, value);
			if (young.size < sizeMax / 2) return;
			hasForgotten ||= old.size > 0;
			old = young;
			young = new Map();
		},
		hasForgotten: () => hasForgotten,
	};
}

/** The same for a set of names. */
export interface BoundedSet {
	has(name: string): boolean;
	/** Adds a name; returns whether it is new. */
	add(name: string): boolean;
	/** Adds a name that is known to be new. It is indexed at the next lookup, because most names are never looked up. */
	addNew(name: string): void;
	clear(): void;
}

export function createBoundedSet(sizeMax: number): BoundedSet {
	let young = createGeneration();
	let old = createGeneration();

	function grow(): void {
		if (young.size() < sizeMax / 2) return;
		old = young;
		young = createGeneration();
	}

	return {
		has: (name) => young.has(name) || old.has(name),
		add: (name) => {
			if (!young.add(name)) return false;
			const isNew = !old.has(name);
			grow();
			return isNew;
		},
		addNew: (name) => {
			young.lineUp(name);
			grow();
		},
		clear: () => {
			young = createGeneration();
			old = createGeneration();
		},
	};
}

const PIECE_LENGTH = 256;

function createGeneration() {
	const known = new Set<string>();
	/** In pieces, because a long array is copied as it grows, and young names in an old array slow garbage collection. */
	let linedUp: string[][] = [];
	let latest: string[] = [];

	function indexed(): Set<string> {
		if (linedUp.length === 0 && latest.length === 0) return known;
		for (const piece of [...linedUp, latest]) for (const name of piece) known.add(name);
		[linedUp, latest] = [[], []];
		return known;
	}

	function lineUp(name: string): void {
		if (latest.push(name) < PIECE_LENGTH) return;
		linedUp.push(latest);
		latest = [];
	}

	return {
		size: (): number => known.size + linedUp.length * PIECE_LENGTH + latest.length,
		has: (name: string): boolean => indexed().has(name),
		/** A set that does not grow had the name already, so one operation both looks it up and adds it. */
		add: (name: string): boolean => {
			const { size } = indexed();
			return known.add(name).size > size;
		},
		lineUp,
	};
}
