/** Reads orders and fills from memory and archive as one list. */
import type { WantedFills, WantedOrders } from './archive';
import type { Fill, Order } from './order';
import { isOpen } from './order-life';
import type { DeepReadonly } from './read-only';
import type { AccountView } from './state';
import type { WorldView } from './world';

export const orderOf = ({ state, archive }: WorldView, id: string): DeepReadonly<Order> | undefined =>
	state.orders.get(id) ?? archive.order(id);

export interface Part {
	offset: number;
	max: number;
}

/** An account's orders, newest first: their count, and one page of them. */
export function ordersOf(
	{ state, archive }: WorldView,
	account: AccountView,
	{ isFinished = false, ...wanted }: WantedOrders & { isFinished?: boolean },
	{ offset, max }: Part,
): { count(): number; orders: DeepReadonly<Order>[] } {
	const { status, pairId, until = Infinity } = wanted;
	const here: DeepReadonly<Order>[] = [];
	for (let index = account.orders.length - 1; index >= 0; index--) {
		const order = state.orders.get(account.orders[index] as string);
		if (!order || order.createdAt > until || (isFinished && isOpen(order))) continue;
		if ((status ?? order.status) === order.status && (pairId ?? order.pairId) === order.pairId) here.push(order);
	}
	const there = archive.orderNumbers(account.id, wanted, offset + max);
	const orders = newestFirst(here, there, offset + max).slice(offset);
	return {
		count: () => here.length + archive.countOrders(account.id, wanted),
		orders: orders.map((order) => (typeof order === 'number' ? archive.orderAt(order) : order)),
	};
}

/** Merges orders in memory with the numbers of archived orders, newest first. */
function newestFirst(here: DeepReadonly<Order>[], there: number[], max: number): (DeepReadonly<Order> | number)[] {
	const merged: (DeepReadonly<Order> | number)[] = [];
	let a = 0;
	let b = 0;
	while (merged.length < max && (a < here.length || b < there.length)) {
		const [order, number] = [here[a], there[b]];
		if (order && (number === undefined || order.number > number)) [merged[merged.length], a] = [order, a + 1];
		else [merged[merged.length], b] = [number as number, b + 1];
	}
	return merged;
}

/** An account's fills, newest first. Archived fills are older than all in memory. */
export function fillsOf(
	{ archive }: WorldView,
	account: AccountView,
	wanted: WantedFills,
	{ offset, max }: Part,
): { count(): number; fills: DeepReadonly<Fill>[] } {
	const { pairId, orderId } = wanted;
	const here = account.fills
		.filter((fill) => (pairId ?? fill.pairId) === fill.pairId && (orderId ?? fill.orderId) === fill.orderId)
		.reverse();
	const fills = here.slice(offset, offset + max);
	const rest = { offset: Math.max(0, offset - here.length), max: max - fills.length };
	return {
		count: () => here.length + archive.countFills(account.id, wanted),
		fills: rest.max > 0 ? [...fills, ...archive.fills(account.id, wanted, rest)] : fills,
	};
}
