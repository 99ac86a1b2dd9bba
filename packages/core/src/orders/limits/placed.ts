import { add } from '../../decimal';
import { createTurnover, type Turnover } from './turnover';

const MINUTE_MS = 60_000;

/** The periods over which orders are counted, in milliseconds. */
export const periodMs = { minute: MINUTE_MS, day: 24 * 60 * MINUTE_MS } as const;
export type Period = keyof typeof periodMs;

/** One order, as the service shows it or this process sent it. */
interface PlacedOrder {
	id?: string;
	/** The part of its client order id that names its intent. */
	name?: string;
	/** When it was placed, on this process's own clock. */
	at: number;
	/** What it is worth in the quote currency. */
	value: string;
	/** That currency; empty where the order does not show it. */
	currency: string;
}

/**
 * An order of the service. A market order is worth what it was filled at. A limit order is worth what was sent, or more
 * where another process sent another order under the same name.
 */
type ShownOrder = PlacedOrder & { id: string; isMarket: boolean };

/**
 * The orders that an account placed within a day: those the service shows and those this process sent, each once. An
 * order that was sent has a key, and gets its id from the answer, or from the first row under its name.
 */
export interface PlacedOrders {
	has(key: string): boolean;
	/** Counts an order that this process is about to send, or that its journal holds. */
	send(key: string, order: PlacedOrder): void;
	/** Counts an order the service shows. */
	show(order: ShownOrder): void;
	/** Says which order a sent one became. */
	identify(key: string, id: string): void;
	/** All orders of a period, and the value of those in a currency: NGN and USD are never added as one. */
	within(period: Period, now: number, currency: string): { count: number; value: string };
}

export function createPlacedOrders(): PlacedOrders {
	const names = new Map<string, Pick<PlacedOrder, 'id' | 'name' | 'currency'>>();
	const keyById = new Map<string, string>();
	/** Orders that were sent and whose id nobody has told yet. */
	const keyByName = new Map<string, string>();
	const turnovers = new Map<string, Readonly<Record<Period, Turnover>>>();

	/** The orders of one currency. */
	function turnoversOf(currency = ''): Readonly<Record<Period, Turnover>> {
		const own = turnovers.get(currency) ?? {
			minute: createTurnover(periodMs.minute),
			day: createTurnover(periodMs.day, forget),
		};
		turnovers.set(currency, own);
		return own;
	}
	const eachOf = (key: string): Turnover[] => Object.values(turnoversOf(names.get(key)?.currency));

	function forget(key: string): void {
		const { id, name } = names.get(key) ?? {};
		names.delete(key);
		if (id !== undefined) keyById.delete(id);
		if (name !== undefined && keyByName.get(name) === key) keyByName.delete(name);
	}

	function identify(key: string, id: string): void {
		const row = names.get(key);
		const other = keyById.get(id);
		if (!row || other === key) return;
		if (other !== undefined) {
			for (const turnover of eachOf(other)) turnover.remove(other);
			forget(other);
		}
		if (row.name !== undefined && keyByName.get(row.name) === key) keyByName.delete(row.name);
		row.id = id;
		keyById.set(id, key);
	}

	function count(key: string, { id, name, at, value, currency }: PlacedOrder): void {
		names.set(key, { id, name, currency });
		for (const turnover of eachOf(key)) turnover.add({ key, at, value });
		if (id !== undefined) keyById.set(id, key);
		else if (name !== undefined) keyByName.set(name, key);
	}

	return {
		has: (key) => names.has(key),
		send: count,
		show: (order) => {
			const { id, name, value, isMarket } = order;
			const key = keyById.get(id) ?? (name === undefined ? undefined : keyByName.get(name));
			if (key === undefined) return count(`order ${id}`, order);
			identify(key, id);
			for (const turnover of eachOf(key)) turnover[isMarket ? 'value' : 'raise'](key, value);
		},
		identify,
		within: (period, now, currency) => {
			let whole = { count: 0, value: '0' };
			for (const [other, own] of turnovers) {
				const { count, value } = own[period].until(now);
				// What may be of either currency counts in both.
				const isOther = currency !== '' && other !== '' && other !== currency;
				whole = { count: whole.count + count, value: isOther ? whole.value : add(whole.value, value) };
				if (own.day.until(now).count === 0) turnovers.delete(other);
			}
			return whole;
		},
	};
}
