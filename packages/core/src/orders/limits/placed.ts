import { add, compare, subtract } from '../../decimal';

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
 * where another process sent another order under the same name. One of unknown value counts, and changes no value.
 */
type ShownOrder = Omit<PlacedOrder, 'value'> & { id: string; isMarket: boolean; value?: string };

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

/** Orders remembered individually; of more, the first is forgotten and its value counts with the next one's. */
export const ORDERS_MAX = 100_000;

type Counted = PlacedOrder & { key: string };

export function createPlacedOrders(): PlacedOrders {
	const byKey = new Map<string, Counted>();
	const byId = new Map<string, Counted>();
	/** Those that were sent and whose id nobody has told yet. */
	const byName = new Map<string, Counted>();
	/** What those of each currency are worth, kept as they come and go: to add up a day for each order takes too long. */
	const totals = new Map<string, string>();

	const addTo = (currency: string, value: string): void =>
		void totals.set(currency, add(totals.get(currency) ?? '0', value));

	function revalue(order: Counted, value: string): void {
		addTo(order.currency, subtract(value, order.value));
		order.value = value;
	}

	function forget(order: Counted): void {
		const { key, id, name } = order;
		revalue(order, '0');
		byKey.delete(key);
		if (id !== undefined) byId.delete(id);
		if (name !== undefined && byName.get(name) === order) byName.delete(name);
	}

	function count(key: string, placed: PlacedOrder): void {
		const before = byKey.get(key);
		if (before) forget(before);
		const order = { ...placed, key };
		const { id, name, value, currency } = order;
		byKey.set(key, order);
		if (id !== undefined) byId.set(id, order);
		else if (name !== undefined) byName.set(name, order);
		addTo(currency, value);
		if (byKey.size <= ORDERS_MAX) return;
		const [first] = byKey.values();
		const worth = first!.value;
		forget(first!);
		for (const next of byKey.values()) {
			if (next.currency !== first!.currency) continue;
			return revalue(next, add(next.value, worth));
		}
	}

	function identify(key: string, id: string): void {
		const order = byKey.get(key);
		const other = byId.get(id);
		if (!order || other === order) return;
		if (other) forget(other);
		if (order.name !== undefined && byName.get(order.name) === order) byName.delete(order.name);
		order.id = id;
		byId.set(id, order);
	}

	return {
		has: (key) => byKey.has(key),
		send: count,
		show: ({ isMarket, value, ...shown }) => {
			const { id, name } = shown;
			const order = byId.get(id) ?? (name === undefined ? undefined : byName.get(name));
			if (!order) return count(`order ${id}`, { ...shown, value: value ?? '0' });
			identify(order.key, id);
			if (value !== undefined && (isMarket || compare(value, order.value) > 0)) revalue(order, value);
		},
		identify,
		within: (period, now, currency) => {
			for (const order of byKey.values()) if (now - order.at >= periodMs.day) forget(order);
			// What may be of either currency counts in both.
			const isAlike = (other: string): boolean => currency === '' || other === '' || other === currency;
			if (period === 'day') {
				const alike = [...totals].filter(([other]) => isAlike(other));
				return { count: byKey.size, value: alike.reduce((sum, [, value]) => add(sum, value), '0') };
			}
			const recent = { count: 0, value: '0' };
			for (const { at, currency: other, value } of byKey.values()) {
				if (now - at >= periodMs[period]) continue;
				recent.count += 1;
				if (isAlike(other)) recent.value = add(recent.value, value);
			}
			return recent;
		},
	};
}
