import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import type { Item, Service } from './service';

/** Everything that really happened, whatever anybody heard of it. */
export interface Truth {
	/** By order: every state it was in, with its time. */
	orders: Map<string, { at: number; status: string; filled: string }[]>;
	fills: Map<string, { at: number; orderId: string; quantity: number }>;
	trades: Map<string, { at: number }>;
}

export const TRADES = 'trades.USD_NGN';
const PARTS_MAX = 3;

/** Orders live their lives and the public trades. */
export function openMarket(time: VirtualTime, chance: Random, service: Service, endsAt: number): Truth {
	const truth: Truth = { orders: new Map(), fills: new Map(), trades: new Map() };
	let sequence = 0;

	const later = (averageMs: number, action: () => void) =>
		time.after(chance.exponential(averageMs, averageMs * 5), action);

	function place(): void {
		if (time.now() > endsAt) return;
		const id = chance.uuid();
		const order = {
			id,
			quantity: '30',
			side: chance.pick(['buy', 'sell']),
			pair_id: 'USD/NGN',
			created_at: new Date(time.now()).toISOString(),
		};
		truth.orders.set(id, []);
		become(order, 'pending', 0);
		later(300, () => live(order));
		later(8_000, place);
	}

	function live(order: Item & { id: string }): void {
		if (chance.happens(0.1)) return become(order, 'rejected', 0);
		become(order, 'accepted', 0);
		const parts = chance.below(PARTS_MAX + 1);
		const step = (filled: number, left: number) =>
			later(chance.pick([5, 2_000, 15_000]), () => {
				if (left === 0) return become(order, filled >= 30 ? 'filled' : 'cancelled', filled);
				fill(order.id);
				if (filled + 10 < 30) become(order, 'partially_filled', filled + 10);
				step(filled + 10, left - 1);
			});
		step(0, parts);
	}

	function become(order: Item & { id: string }, status: string, filled: number): void {
		const record = { ...order, status, filled_quantity: `${filled}.00` };
		truth.orders.get(order.id)!.push({ at: time.now(), status, filled: String(filled) });
		service.record('orders', order.id, record);
		service.publish('user.orders', record);
	}

	function fill(orderId: string): void {
		const id = chance.uuid();
		const record = {
			id,
			order_id: orderId,
			quantity: '10.00',
			price: '1500',
			created_at: new Date(time.now()).toISOString(),
		};
		truth.fills.set(id, { at: time.now(), orderId, quantity: 10 });
		service.record('fills', id, record);
		service.publish('user.fills', record);
	}

	function trade(): void {
		if (time.now() > endsAt) return;
		const id = chance.uuid();
		sequence += 1;
		truth.trades.set(id, { at: time.now() });
		const record = {
			id,
			pair_id: 'USD/NGN',
			sequence,
			quantity: '1.00',
			price: '1500',
			side: 'buy',
			created_at: new Date(time.now()).toISOString(),
		};
		service.record('trades', id, record);
		service.publish(TRADES, record);
		later(8_000, trade);
	}

	place();
	trade();
	return truth;
}
