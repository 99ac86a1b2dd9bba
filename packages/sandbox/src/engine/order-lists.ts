/** Reads orders and fills as the lists of an account. */
import type { Fill, Order } from './order';
import { isOpen } from './order-life';
import type { DeepReadonly } from './read-only';
import type { AccountView } from './state';
import type { WorldView } from './world';

export interface Part {
	offset: number;
	max: number;
}

interface WantedOrders {
	status?: string | undefined;
	pairId?: string | undefined;
	/** Only orders created by this time. */
	until?: number | undefined;
	isFinished?: boolean;
}

/** An account's orders, newest first: their count, and one page of them. */
export function ordersOf(
	{ state }: WorldView,
	account: AccountView,
	{ status, pairId, until = Infinity, isFinished = false }: WantedOrders,
	{ offset, max }: Part,
): { count: number; orders: DeepReadonly<Order>[] } {
	const orders: DeepReadonly<Order>[] = [];
	for (let index = account.orders.length - 1; index >= 0; index--) {
		const order = state.orders.get(account.orders[index] as string);
		if (!order || order.createdAt > until || (isFinished && isOpen(order))) continue;
		if ((status ?? order.status) === order.status && (pairId ?? order.pairId) === order.pairId) orders.push(order);
	}
	return { count: orders.length, orders: orders.slice(offset, offset + max) };
}

interface WantedFills {
	pairId?: string | undefined;
	orderId?: string | undefined;
}

/** An account's fills, newest first. */
export function fillsOf(
	account: AccountView,
	{ pairId, orderId }: WantedFills,
	{ offset, max }: Part,
): { count: number; fills: DeepReadonly<Fill>[] } {
	const fills = account.fills
		.filter((fill) => (pairId ?? fill.pairId) === fill.pairId && (orderId ?? fill.orderId) === fill.orderId)
		.reverse();
	return { count: fills.length, fills: fills.slice(offset, offset + max) };
}
