import type { ListShape } from '../../wire/list-shape';
import type { ListReading, PageSource } from './list-reading';
import { emptyIndex, INDEX_ROWS_MAX, type NameIndex } from './name-index';

/** What is remembered of the order list of one account. */
export interface ListMemory {
	index: NameIndex;
	/** By status, because each of these lists may have another order. */
	shapes: Map<string, ListShape>;
	/** A search of the whole list that was left before its end. */
	begun?: Search;
}

/** A search through the order list, and where it may hide orders that are over, through the list of each status. */
export interface Search {
	beganAt: number;
	/** Orders of an earlier time need no reading; undefined reads all of them. */
	settledBefore?: number;
	/** By status. */
	readings: Map<string, ListReading>;
	/** The readings that came to their end. */
	ended: Set<string>;
	/** How the look that is on it reads pages. */
	source: PageSource;
}

/** What is remembered of each list. Those that were not looked at for longest are forgotten. */
export function createListMemories(): (name: string) => ListMemory {
	const memories = new Map<string, ListMemory>();
	return (name) => {
		const memory = memories.get(name) ?? { index: emptyIndex(), shapes: new Map() };
		memories.delete(name);
		memories.set(name, memory);
		let rows = [...memories.values()].reduce((sum, { index }) => sum + index.rows, 0);
		for (const [oldest, { index }] of memories) {
			if (rows <= INDEX_ROWS_MAX || oldest === name) break;
			memories.delete(oldest);
			rows -= index.rows;
		}
		return memory;
	};
}
