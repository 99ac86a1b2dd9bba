import { add, subtract } from '../../decimal';

/** Orders remembered individually; of more, the oldest is forgotten and its value counts with the next one's. */
export const ORDERS_MAX = 100_000;

interface SentOrder {
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
	/** Orders are added in the order of their times. */
	add(order: SentOrder): void;
	/** Forgets what is older than the period, and tells the rest. */
	until(now: number): { count: number; value: string };
}

export function createTurnover(periodMs: number): Turnover {
	const keys = new Set<string>();
	let orders: SentOrder[] = [];
	/** Index of the oldest order; those before it are forgotten. */
	let oldest = 0;
	let total = '0';

	function forgetOldest(): string {
		const { key, value } = orders[oldest]!;
		keys.delete(key);
		oldest += 1;
		if (oldest > orders.length / 2) {
			orders = orders.slice(oldest);
			oldest = 0;
		}
		return value;
	}
	return {
		has: (key) => keys.has(key),
		add: (order) => {
			orders.push({ ...order });
			keys.add(order.key);
			total = add(total, order.value);
			if (orders.length - oldest <= ORDERS_MAX) return;
			const value = forgetOldest();
			const next = orders[oldest]!;
			next.value = add(next.value, value);
		},
		until: (now) => {
			while (oldest < orders.length && now - orders[oldest]!.at >= periodMs) total = subtract(total, forgetOldest());
			return { count: orders.length - oldest, value: total };
		},
	};
}
