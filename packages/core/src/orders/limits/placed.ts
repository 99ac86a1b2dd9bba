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
	/** When the order was placed, on this process's own clock. */
	at: number;
	/** What the order is worth in the quote currency. */
	value: string;
	/** That currency; empty where the order does not show it. */
	currency: string;
}

/**
 * An order of the service. A market order is worth what it was filled at. A limit order is worth what was sent, or more
 * where another process sent another order under the same name. One of unknown value counts, and changes no value.
 */
type ShownOrder = Omit<PlacedOrder, 'value'> & { id: string; isMarket: boolean; value?: string };

/** Orders remembered individually; of more, the first is forgotten and its value counts with the next one's. */
export const ORDERS_MAX = 100_000;

type Counted = PlacedOrder & { key: string };

/**
 * The orders that an account placed within a day: those the service shows and those this process sent, each once. An
 * order that was sent has a key, and gets its id from the answer, or from the first row under its name.
 */
export function createPlacedOrders() {
	const byKey = new Map<string, Counted>();
	const byId = new Map<string, Counted>();
	/** Orders that were sent and whose id is not known yet. */
	const byName = new Map<string, Counted>();
	/** The oldest first, once they are sorted: most come in this order, and a list shows its newest first. */
	const byTime: Counted[] = [];
	let isSorted = true;
	/** What the orders of each currency are worth, kept up to date because adding up a day for each order takes too long. */
	const totals = new Map<string, string>();

	function revalue(order: Counted, value: string): void {
		totals.set(order.currency, add(totals.get(order.currency) ?? '0', subtract(value, order.value)));
		order.value = value;
	}

	/** Stops counting this many orders of `byTime`, from the place `first` on. */
	function forget(first: number, howMany: number): void {
		for (const order of byTime.splice(first, howMany)) {
			const { key, id, name } = order;
			revalue(order, '0');
			byKey.delete(key);
			if (id !== undefined) byId.delete(id);
			if (name !== undefined && byName.get(name) === order) byName.delete(name);
		}
	}

	function count(key: string, placed: PlacedOrder): void {
		const { id, name, value } = placed;
		const order = { ...placed, key, value: '0' };
		isSorted &&= placed.at >= (byTime.at(-1)?.at ?? placed.at);
		byTime.push(order);
		byKey.set(key, order);
		if (id !== undefined) byId.set(id, order);
		else if (name !== undefined) byName.set(name, order);
		revalue(order, value);
		if (byTime.length <= ORDERS_MAX) return;
		const [first] = byTime;
		const next = byTime.find((other) => other !== first && other.currency === first!.currency);
		if (next) revalue(next, add(next.value, first!.value));
		forget(0, 1);
	}

	/** Says which order a sent one became. */
	function identify(key: string, id: string): void {
		const order = byKey.get(key);
		const other = byId.get(id);
		if (!order || other === order) return;
		if (other) forget(byTime.indexOf(other), 1);
		if (order.name !== undefined && byName.get(order.name) === order) byName.delete(order.name);
		order.id = id;
		byId.set(id, order);
	}

	return {
		has: (key: string): boolean => byKey.has(key),
		/** Counts an order that this process is about to send, or that its journal holds. */
		send: count,
		/** Counts an order the service shows. */
		show: ({ isMarket, value, ...shown }: ShownOrder): void => {
			const { id, name } = shown;
			const order = byId.get(id) ?? (name === undefined ? undefined : byName.get(name));
			if (!order) return count(`order ${id}`, { ...shown, value: value ?? '0' });
			identify(order.key, id);
			if (value !== undefined && (isMarket || compare(value, order.value) > 0)) revalue(order, value);
		},
		identify,
		/** All orders of a period, and the value of those in a currency: NGN and USD are never added as one. */
		within: (period: Period, now: number, currency: string): { count: number; value: string } => {
			if (!isSorted) byTime.sort((a, b) => a.at - b.at);
			isSorted = true;
			const kept = byTime.findIndex(({ at }) => now - at < periodMs.day);
			forget(0, kept < 0 ? byTime.length : kept);
			// What may be of either currency counts in both.
			const isAlike = (other: string): boolean => currency === '' || other === '' || other === currency;
			if (period === 'day') {
				const alike = [...totals].filter(([other]) => isAlike(other));
				return { count: byTime.length, value: alike.reduce((sum, [, value]) => add(sum, value), '0') };
			}
			const isBefore = ({ at }: Counted): boolean => now - at >= periodMs[period];
			const recent = byTime.slice(byTime.findLastIndex(isBefore) + 1);
			const alike = recent.filter((order) => isAlike(order.currency));
			return { count: recent.length, value: alike.reduce((sum, { value }) => add(sum, value), '0') };
		},
	};
}
