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
			if (key === undefined) return count(`order ${id}`, { ...order, value: value ?? '0' });
			identify(key, id);
			if (value === undefined) return;
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
