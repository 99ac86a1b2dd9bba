import { sleep, type Clock } from '../../ports';
import { orderIdOf, type Item } from '../../wire/payload';

/** How fast pages are read in the long run, and how far readings may be ahead of that: looking must not cost the orders their place. */
const MS_PER_PAGE = 100;
const AHEAD_MS_MAX = 4_000;

/** What a reading showed of a list as a whole. */
export interface ListFacts {
	/** What of the list could not be seen; without a gap, not to be in it means not to be there. */
	gap?: string;
	rows: number;
	/** Whether some order in it has ended. */
	showsFinal: boolean;
	/** Whether it shows orders that the status filter should have left out. */
	isUnfiltered: boolean;
}

/** What one who looked for orders was shown. Facts are of a reading that went to its end. */
export interface Seen {
	orders: Item[];
	facts?: ListFacts;
}

interface Reader {
	matches(order: Item): boolean;
	signal?: AbortSignal;
	/** What it fails with when it does not want to wait any longer. */
	stopped(): unknown;
}

/** All who wait for one reading. */
export interface Party {
	/** Shows everybody a page; who has found something leaves with it. */
	see(orders: readonly Item[]): void;
	/** Nobody waits any longer. */
	isOver(): boolean;
	/** Aborted when nobody waits any longer. */
	signal: AbortSignal;
}

interface Source {
	read(party: Party): Promise<ListFacts>;
	clock: Clock;
}

/**
 * Readings of the same list wanted at the same time are one reading. One that was under way already may have passed what
 * somebody looks for, so whoever comes later shares the next, which begins no sooner than their pace allows.
 */
export interface Readings {
	join(name: string, reader: Reader, source: Source): Promise<Seen>;
}

export function createReadings(): Readings {
	/** Who waits for the next reading of a list; there is an entry while one is under way. */
	const queues = new Map<string, Waiting[]>();
	/** When what was read so far would have been read at an even pace. */
	let paidUntil = 0;

	async function readOn(name: string, { clock }: Source, queue: Waiting[]): Promise<void> {
		// Whoever asks in the same turn shares the first one already.
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
		join: (name, reader, source) =>
			new Promise((resolve, reject) => {
				const waiting = wait(reader, source, { resolve, reject });
				const queue = queues.get(name);
				if (queue) return void queue.push(waiting);
				const begun = [waiting];
				queues.set(name, begun);
				void readOn(name, source, begun);
			}),
	};
}

interface Waiting {
	read: Source['read'];
	isOver: boolean;
	see(orders: readonly Item[]): void;
	end(facts: ListFacts): void;
	fail(error: unknown): void;
	onLeave?: () => void;
}

function wait(
	{ matches, signal, stopped }: Reader,
	{ read }: Source,
	{ resolve, reject }: { resolve(seen: Seen): void; reject(error: unknown): void },
): Waiting {
	const found = new Map<string, Item>();
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
		read,
		isOver: false,
		see: (orders) => {
			for (const order of orders) if (matches(order)) found.set(orderIdOf(order) ?? JSON.stringify(order), order);
			if (found.size > 0) end({ orders: [...found.values()] });
		},
		end: (facts) => end({ orders: [], facts }),
		fail: leaving(reject),
	};
	const stop = (): void => waiting.fail(stopped());
	signal?.addEventListener('abort', stop, { once: true });
	if (signal?.aborted) stop();
	return waiting;
}

/** One reading for all of them; the first lends its way to read. Answers how many pages it took. */
async function readFor(all: readonly Waiting[]): Promise<number> {
	const isOver = (): boolean => all.every((one) => one.isOver);
	const [first] = all.filter((one) => !one.isOver);
	let pages = 0;
	if (!first) return pages;
	const left = new AbortController();
	for (const one of all) one.onLeave = () => isOver() && left.abort();
	const see = (orders: readonly Item[]): void => {
		pages += 1;
		for (const one of all) if (!one.isOver) one.see(orders);
	};
	try {
		const facts = await first.read({ see, isOver, signal: left.signal });
		for (const one of all) one.end(facts);
	} catch (error) {
		for (const one of all) one.fail(error);
	}
	return pages;
}
