import { inBackground } from '../../background';
import { type Clock, sleep } from '../../ports';
import type { ListShape } from '../../wire/list-shape';
import { type Item, orderIdOf } from '../../wire/payload';
import type { ListReading, PageSource } from './list-reading';
import { INDEX_ROWS_MAX, type NameIndex, emptyIndex } from './name-index';

/**
 * The average pace of page reads, and how far reads may run ahead of it: lookups must not use up the rate limit that
 * orders need.
 */
const MS_PER_PAGE = 100;
const AHEAD_MS_MAX = 4_000;

/** What a read showed about the list as a whole. */
export interface ListFacts {
	/** The part of the list that could not be read; without a gap, an order that is not in the list does not exist. */
	gap?: string;
	/** It has orders, and shows the name of none. */
	hidesNames?: boolean;
	/** It shows no order and refuses to filter by status, so it may hide those that are over. */
	mayHideEnded?: boolean;
}

/** The orders shown to one lookup. Facts are present only when the read reached its end. */
export interface Seen {
	orders: Item[];
	facts?: ListFacts;
}

export interface Reader {
	matches(order: Item): boolean;
	/** The client order ID of all that matches. */
	name?: string;
	/** Nothing matches that was placed before, by the clock of the orders. */
	since?: number;
	/** Waits for the end of the reading, and for every order that matches. */
	wantsAll?: boolean;
	signal?: AbortSignal;
	/** The error a lookup fails with when its caller stops waiting. */
	stopped(): unknown;
}

/** The lookups that share one read. */
export interface Party {
	/** Shows every waiting lookup a page; a lookup that finds its order leaves. */
	see(orders: readonly Item[]): void;
	/** Who still waits. */
	waiting(): readonly Waiting[];
	/** Whether no lookup waits any longer. */
	isOver(): boolean;
	/** Aborted when no lookup waits any longer. */
	signal: AbortSignal;
}

interface Source {
	read(party: Party): Promise<ListFacts>;
	clock: Clock;
}

/**
 * Lookups that want the same list at the same time share one read. A read in progress may have passed the order
 * already, so later lookups share the next read, which starts no sooner than the pace allows.
 */
export interface Readings {
	join(name: string, reader: Reader, source: Source): Promise<Seen>;
	/** What is remembered of a list. The lists that were not looked at for longest are forgotten. */
	memoryOf(name: string): ListMemory;
}

export function createReadings(): Readings {
	/** Lookups waiting for the next read of a list, by list; an entry exists while a read is in progress. */
	const queues = new Map<string, Waiting[]>();
	/** When the pages read so far would have been read at the average pace. */
	let paidUntil = 0;

	async function readOn(name: string, { clock }: Source, queue: Waiting[]): Promise<void> {
		// Lookups that start in the same turn of the event loop share the first read.
		for (await Promise.resolve(); queue.length > 0;) {
			const earlyMs = paidUntil - AHEAD_MS_MAX - clock.elapsed();
			if (earlyMs > 0) await sleep(clock, earlyMs);
			const began = clock.elapsed();
			const pages = await readFor(queue.splice(0));
			paidUntil = Math.max(paidUntil, began) + pages * MS_PER_PAGE;
		}
		queues.delete(name);
	}

	return {
		memoryOf: createListMemories(),
		join: (name, reader, source) =>
			new Promise((resolve, reject) => {
				const waiting = wait(reader, source, { resolve, reject });
				const queue = queues.get(name);
				if (queue) return void queue.push(waiting);
				const begun = [waiting];
				queues.set(name, begun);
				inBackground(readOn(name, source, begun));
			}),
	};
}

export interface Waiting extends Pick<Reader, 'name' | 'since' | 'wantsAll'> {
	read: Source['read'];
	isOver: boolean;
	see(orders: readonly Item[]): void;
	end(facts: ListFacts): void;
	fail(error: unknown): void;
	onLeave?: () => void;
}

function wait(
	{ matches, name, since, wantsAll, signal, stopped }: Reader,
	{ read }: Source,
	{ resolve, reject }: { resolve(seen: Seen): void; reject(error: unknown): void },
): Waiting {
	const rows = new Map<string, Item>();
	const leaving =
		<Value>(tell: (value: Value) => void) =>
		(value: Value): void => {
			if (waiting.isOver) return;
			waiting.isOver = true;
			signal?.removeEventListener('abort', stop);
			tell(value);
			waiting.onLeave?.();
		};
	const end = leaving(resolve);
	const waiting: Waiting = {
		...{ read, name, since, wantsAll },
		isOver: false,
		see: (orders) => {
			for (const order of orders) if (matches(order)) rows.set(orderIdOf(order) ?? JSON.stringify(order), order);
			if (rows.size > 0 && !wantsAll) end({ orders: [...rows.values()] });
		},
		end: (facts) => end({ orders: [...rows.values()], facts }),
		fail: leaving(reject),
	};
	const stop = (): void => waiting.fail(stopped());
	signal?.addEventListener('abort', stop, { once: true });
	if (signal?.aborted) stop();
	return waiting;
}

/** One read for all waiting lookups, made with the access of the first. Returns the number of pages read. */
async function readFor(all: readonly Waiting[]): Promise<number> {
	const waiting = (): Waiting[] => all.filter((reader) => !reader.isOver);
	const isOver = (): boolean => waiting().length === 0;
	const [first] = waiting();
	let pages = 0;
	if (!first) return pages;
	const left = new AbortController();
	for (const reader of all) reader.onLeave = () => isOver() && left.abort();
	const see = (orders: readonly Item[]): void => {
		pages += 1;
		for (const reader of waiting()) reader.see(orders);
	};
	try {
		const facts = await first.read({ see, waiting, isOver, signal: left.signal });
		for (const reader of all) reader.end(facts);
	} catch (error) {
		for (const reader of all) reader.fail(error);
	}
	return pages;
}

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
	/** Orders of an earlier time need no reading. */
	settledBefore: number;
	/** Whether every older order is known, or will be. Otherwise it shows what was placed since then, and proves no more. */
	isWhole: boolean;
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
