import { inBackground } from '../../background';
import { operationOf } from '../../catalogue';
import { stopped } from '../../context';
import { orderIdOf, type Item } from '../../wire/payload';

/** What is asked of the account's orders. */
export interface OrderQuery {
	matches(order: Item): boolean;
	/** What may be meant, though it does not show its whole name: where there is one, finding nothing may be no proof. */
	mayMatch?(order: Item): boolean;
	/** The client order ID of all that matches. */
	name?: string;
	/** Nothing matches that was placed before, by the clock of the orders. */
	since?: number;
	/** Whether finding nothing decides what is sent or reported next; otherwise it proves nothing. */
	isThorough?: boolean;
	/** A first page that fails for a moment is asked for again. */
	isPatient?: boolean;
}

/** Why finding nothing may be no proof. */
export interface Gaps {
	/** The part of the list that could not be read; without one, an order that is not in the list does not exist. */
	gap?: string;
	/** The list has orders, and shows the name of none, so finding none under a name proves nothing. */
	hidesNames?: boolean;
}

export interface QueryResult extends Gaps {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Every order shown that may be meant. */
	hidden: Item[];
	/** Whether finding nothing proves that the order does not exist. */
	complete: boolean;
}

/** The callers that share one reading. */
export interface Waiters {
	waiting(): readonly Waiter[];
	/** Shows a page to everyone who waits. */
	see(orders: readonly Item[]): void;
	isOver(): boolean;
	/** Aborted when nobody waits any longer. */
	signal: AbortSignal;
}

/** A caller that waits for an answer, and leaves with the page that holds it. */
interface Waiter extends OrderQuery {
	isOver: boolean;
	reading: Reading;
	see(orders: readonly Item[]): void;
	end(gaps: Gaps): void;
	fail(error: Error): void;
	onLeave?: () => void;
}

type Reading = (party: Waiters) => Promise<Gaps>;

/**
 * Callers that ask the same at the same time share one reading, made with the access of the first. A reading in
 * progress may have passed the order already, so a caller that comes later shares the next one.
 */
export type SharedReads = (
	key: string,
	asked: OrderQuery,
	reading: Reading,
	signal?: AbortSignal,
) => Promise<QueryResult>;

export function createSharedReads(): SharedReads {
	/** The callers that wait for the next reading, by what they ask; an entry exists while a reading is in progress. */
	const queues = new Map<string, Waiter[]>();

	async function serve(key: string, queue: Waiter[]): Promise<void> {
		// Callers that ask in the same turn of the event loop share the first reading.
		for (await Promise.resolve(); queue.length > 0;) await readOnce(queue.splice(0));
		queues.delete(key);
	}

	return (key, asked, reading, signal) =>
		new Promise((resolve, reject) => {
			const leave = (tell: () => void): void => {
				if (asker.isOver) return;
				asker.isOver = true;
				signal?.removeEventListener('abort', stop);
				tell();
				asker.onLeave?.();
			};
			const hidden: Item[] = [];
			const asker: Waiter = {
				...asked,
				reading,
				isOver: false,
				see: (orders) => {
					const found = orders.filter(asked.matches);
					// A page may show an order twice; the latter row counts.
					const rows = new Map(found.map((order) => [orderIdOf(order) ?? JSON.stringify(order), order]));
					if (rows.size > 0) leave(() => resolve({ orders: [...rows.values()], hidden, complete: false }));
					for (const order of orders) if (asked.mayMatch?.(order)) hidden.push(order);
				},
				end: (gaps) => {
					const found = asked.isThorough ? gaps : { ...gaps, gap: gaps.gap ?? 'only its latest orders were read' };
					leave(() => resolve({ orders: [], hidden, complete: found.gap === undefined, ...found }));
				},
				fail: (error: Error) => leave(() => reject(error)),
			};
			const stop = (): void => asker.fail(stopped(operationOf('order.list')));
			signal?.addEventListener('abort', stop, { once: true });
			if (signal?.aborted) stop();
			const queue = queues.get(key);
			if (queue) return void queue.push(asker);
			queues.set(key, [asker]);
			inBackground(serve(key, queues.get(key)!));
		});
}

async function readOnce(all: readonly Waiter[]): Promise<void> {
	const waiting = (): Waiter[] => all.filter(({ isOver }) => !isOver);
	const isOver = (): boolean => waiting().length === 0;
	const [first] = waiting();
	if (!first) return;
	const left = new AbortController();
	for (const asker of all) asker.onLeave = () => isOver() && left.abort();
	const see = (orders: readonly Item[]): void => waiting().forEach((asker) => asker.see(orders));
	try {
		const gaps = await first.reading({ waiting, see, isOver, signal: left.signal });
		for (const asker of all) asker.end(gaps);
	} catch (error) {
		for (const asker of all) asker.fail(error as Error);
	}
}
