import { add, compare, subtract } from '../../decimal';

/** Orders remembered individually; of more, the oldest is forgotten and its value counts with the next one's. */
export const ORDERS_MAX = 100_000;

interface CountedOrder {
	key: string;
	at: number;
	value: string;
}

/**
 * The orders of a period that ends now, and their value. The value is kept as orders come and go, because adding up all
 * orders of a day for each of them takes longer the more there are.
 */
export interface Turnover {
	has(key: string): boolean;
	add(order: CountedOrder): void;
	/** Changes what an order is worth. */
	value(key: string, value: string): void;
	/** Changes what an order is worth where that is more. */
	raise(key: string, value: string): void;
	remove(key: string): void;
	/** Forgets what is older than the period, and tells the rest. */
	until(now: number): { count: number; value: string };
}

export function createTurnover(periodMs: number, forgotten: (key: string) => void = () => undefined): Turnover {
	const byKey = new Map<string, CountedOrder>();
	/** In the order of their times. */
	let orders: CountedOrder[] = [];
	/** Index of the oldest order; those before it are forgotten. */
	let oldest = 0;
	let total = '0';

	function forgetOldest(): string {
		const { key, value } = orders[oldest]!;
		byKey.delete(key);
		forgotten(key);
		oldest += 1;
		if (oldest > orders.length / 2) {
			orders = orders.slice(oldest);
			oldest = 0;
		}
		return value;
	}

	/** The first place after all orders that are not later. Most orders are the latest. */
	function placeOf(at: number): number {
		let place = orders.length;
		if (place === oldest || orders[place - 1]!.at <= at) return place;
		let first = oldest;
		while (first < place) {
			const middle = Math.floor((first + place) / 2);
			if (orders[middle]!.at <= at) first = middle + 1;
			else place = middle;
		}
		return place;
	}

	const turnover: Turnover = {
		has: (key) => byKey.has(key),
		add: (counted) => {
			const order = { ...counted };
			turnover.remove(order.key);
			orders.splice(placeOf(order.at), 0, order);
			byKey.set(order.key, order);
			total = add(total, order.value);
			if (orders.length - oldest <= ORDERS_MAX) return;
			const value = forgetOldest();
			const next = orders[oldest]!;
			next.value = add(next.value, value);
		},
		value: (key, value) => {
			const order = byKey.get(key);
			if (!order) return;
			total = add(subtract(total, order.value), value);
			order.value = value;
		},
		raise: (key, value) => {
			const order = byKey.get(key);
			if (order && compare(value, order.value) > 0) turnover.value(key, value);
		},
		remove: (key) => {
			const order = byKey.get(key);
			if (!order) return;
			total = subtract(total, order.value);
			byKey.delete(key);
			orders.splice(orders.lastIndexOf(order, placeOf(order.at) - 1), 1);
		},
		until: (now) => {
			while (oldest < orders.length && now - orders[oldest]!.at >= periodMs) total = subtract(total, forgetOldest());
			return { count: orders.length - oldest, value: total };
		},
	};
	return turnover;
}
