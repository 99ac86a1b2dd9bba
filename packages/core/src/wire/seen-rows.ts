import type { Item } from './payload';

/** What a page shows beside the pages before it. */
export interface PageFacts {
	/** Identity of the first row, if there is one. */
	head: string | undefined;
	/** Whether an earlier page held the first row, as it should where pages overlap. */
	joins: boolean;
	/** The rows that no earlier page held, each once. */
	fresh: Item[];
}

/** The rows that were read of one list. */
export interface SeenRows {
	/** Adds the rows of a page, and says what is new in it. */
	add(items: readonly Item[]): PageFacts;
	/** Their identities. */
	names(): ReadonlySet<string>;
}

/** With `rowsMax` the oldest rows are forgotten: repeated rows stand close together. */
export function createSeenRows(
	identityOf: (item: Item) => string,
	rowsMax: number = Number.POSITIVE_INFINITY,
): SeenRows {
	const seen = new Set<string>();
	const isFresh = (item: Item): boolean => {
		const identity = identityOf(item);
		if (seen.has(identity)) return false;
		seen.add(identity);
		if (seen.size > rowsMax) seen.delete(seen.values().next().value!);
		return true;
	};
	return {
		add: (items) => {
			const head = items[0] && identityOf(items[0]);
			const joins = head !== undefined && seen.has(head);
			return { head, joins, fresh: items.filter(isFresh) };
		},
		names: () => seen,
	};
}
