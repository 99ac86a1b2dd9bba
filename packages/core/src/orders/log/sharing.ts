import { inBackground } from '../../background';
import { operationOf } from '../../catalogue';
import { stopped } from '../../context';
import { orderIdOf, type Item } from '../../wire/payload';

/** What is asked of the account's orders. */
export interface Asked {
	matches(order: Item): boolean;
	/** The client order ID of all that matches. */
	name?: string;
	/** Nothing matches that was placed before, by the clock of the orders. */
	since?: number;
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

export interface Answer extends Gaps {
	/** Every order found, as the service sent it. */
	orders: Item[];
	/** Whether finding nothing proves that the order does not exist. */
	complete: boolean;
}

/** One who waits for an answer. */
interface Waiting extends Asked {
	isOver: boolean;
	/** Shows it orders; it leaves when it finds its own. */
	see(orders: readonly Item[]): void;
}

/** Those who share one reading. */
export interface Party {
	waiting(): readonly Waiting[];
	/** Shows a page to everyone who waits. */
	see(orders: readonly Item[]): void;
	isOver(): boolean;
	/** Aborted when nobody waits any longer. */
	signal: AbortSignal;
}

type Reading = (party: Party) => Promise<Gaps>;

/**
 * Those who ask the same at the same time share one reading, made with the access of the first. One in progress may have
 * passed the order already, so who comes later shares the next one.
 */
export type Sharing = (key: string, asked: Asked, reading: Reading, signal?: AbortSignal) => Promise<Answer>;

export function createSharing(): Sharing {
	/** Who waits for the next reading, by what they ask; an entry exists while a reading is in progress. */
	const queues = new Map<string, Place[]>();

	async function serve(key: string, queue: Place[]): Promise<void> {
		// Those who ask in the same turn of the event loop share the first reading.
		for (await Promise.resolve(); queue.length > 0;) await readFor(queue.splice(0));
		queues.delete(key);
	}

	return (key, asked, reading, signal) =>
		new Promise((resolve, reject) => {
			const place = placeFor(asked, { reading, signal, resolve, reject });
			const queue = queues.get(key);
			if (queue) return void queue.push(place);
			const begun = [place];
			queues.set(key, begun);
			inBackground(serve(key, begun));
		});
}

interface Place extends Waiting {
	reading: Reading;
	end(gaps: Gaps): void;
	fail(error: unknown): void;
	onLeave?: () => void;
}

interface Asking {
	reading: Reading;
	signal?: AbortSignal;
	resolve(answer: Answer): void;
	reject(error: unknown): void;
}

function placeFor(asked: Asked, { reading, signal, resolve, reject }: Asking): Place {
	const leaving =
		<Value>(tell: (value: Value) => void) =>
		(value: Value): void => {
			if (place.isOver) return;
			place.isOver = true;
			signal?.removeEventListener('abort', stop);
			tell(value);
			place.onLeave?.();
		};
	const answer = leaving(resolve);
	const place: Place = {
		...asked,
		reading,
		isOver: false,
		see: (orders) => {
			const found = orders.filter(asked.matches);
			// Of an order that a page shows twice, the latter counts.
			const rows = new Map(found.map((order) => [orderIdOf(order) ?? JSON.stringify(order), order]));
			if (rows.size > 0) answer({ orders: [...rows.values()], complete: false });
		},
		end: (gaps) => answer({ orders: [], complete: gaps.gap === undefined, ...gaps }),
		fail: leaving(reject),
	};
	const stop = (): void => place.fail(stopped(operationOf('order.list')));
	signal?.addEventListener('abort', stop, { once: true });
	if (signal?.aborted) stop();
	return place;
}

async function readFor(all: readonly Place[]): Promise<void> {
	const waiting = (): Place[] => all.filter((place) => !place.isOver);
	const isOver = (): boolean => waiting().length === 0;
	const [first] = waiting();
	if (!first) return;
	const left = new AbortController();
	for (const place of all) place.onLeave = () => isOver() && left.abort();
	const see = (orders: readonly Item[]): void => waiting().forEach((place) => place.see(orders));
	try {
		const gaps = await first.reading({ waiting, see, isOver, signal: left.signal });
		for (const place of all) place.end(gaps);
	} catch (error) {
		for (const place of all) place.fail(error);
	}
}
