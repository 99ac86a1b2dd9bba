import type { Item } from './payload';

/** What a page shows beside the pages before it. */
export interface PageFacts<Row = Item> {
	/** Identity of the first row, if there is one. */
	head: string | undefined;
	/** Whether an earlier page held the first row, as it should where pages overlap. */
	joins: boolean;
	/** The rows that no earlier page held, each once. */
	fresh: Row[];
}

/** The rows that were read of one list. */
export interface SeenRows<Row = Item> {
	/** Adds the rows of a page, and says what is new in it. */
	add(items: readonly Row[]): PageFacts<Row>;
	/** Their identities. */
	names(): ReadonlySet<string>;
}

/** Forgets nothing: who uses it bounds the rows. */
export function createSeenRows<Row = Item>(identityOf: (item: Row) => string): SeenRows<Row> {
	const seen = new Set<string>();
	const isFresh = (item: Row): boolean => {
		const identity = identityOf(item);
		if (seen.has(identity)) return false;
		seen.add(identity);
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
