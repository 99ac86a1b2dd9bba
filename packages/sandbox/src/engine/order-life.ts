import { release } from './ledger';
import { openQuantity, remove } from './book';
import { orderRecord } from './records';
import type { Order, OrderStatus } from './order';
import { accountOf, marketOf, emitEvent, type World } from './world';

/**
 * Allowed status transitions; a terminal status has none. Interface, part 3 names the statuses; the transitions are an
 * assumption.
 */
const orderGraph: Record<OrderStatus, readonly OrderStatus[]> = {
	pending: ['accepted', 'rejected', 'cancelled'],
	accepted: ['partially_filled', 'filled', 'cancelled'],
	partially_filled: ['partially_filled', 'filled', 'cancelled'],
	filled: [],
	cancelled: [],
	rejected: [],
};

/**
 * How many finished orders are kept, and how many fills and idempotency keys of each account; the oldest are forgotten
 * first. All of it is written whenever the state is saved, which nothing may wait for long.
 */
export const HISTORY_MAX = 20_000;

export const isOpen = (order: Order): boolean => orderGraph[order.status].length > 0;
/** Whether an order is in the book, between two steps of the exchange. */
export const isResting = (order: Order): boolean => isOpen(order) && order.status !== 'pending';

/** The currency in which an order reserves funds. */
export function payingCurrency(world: World, order: Order): string {
	const { rules } = marketOf(world, order.pairId);
	return order.side === 'buy' ? rules.quote : rules.base;
}

export function changeStatus(world: World, order: Order, status: OrderStatus, reason: string | null = null): void {
	if (!orderGraph[order.status].includes(status))
		throw new Error(`An order cannot go from ${order.status} to ${status}`);
	order.status = status;
	order.reason = reason;
	order.updatedAt = world.state.now;
	if (!isOpen(order)) close(world, order);
	publishOrder(world, order);
}

export function publishOrder(world: World, order: Order): void {
	const account = accountOf(world, order.accountId);
	if (account.internal) return;
	emitEvent(world, 'user.orders', account.id, orderRecord(order, marketOf(world, order.pairId).rules));
}

/** Removes an order from the book and releases its reservation. */
export function cancelOrder(world: World, order: Order, reason: string): void {
	if (openQuantity(order) > 0n && order.price !== null) remove(marketOf(world, order.pairId).book, order);
	changeStatus(world, order, 'cancelled', reason);
}

function close(world: World, order: Order): void {
	const account = accountOf(world, order.accountId);
	release(account, payingCurrency(world, order), order.reserved);
	order.reserved = 0n;
	order.closing = null;
	if (account.internal) return void world.state.orders.delete(order.id);
	world.state.closed.add(order.id);
	forgetOldest(world);
}

function forgetOldest({ state }: World): void {
	const [oldest] = state.closed;
	if (oldest === undefined || state.closed.size <= HISTORY_MAX) return;
	const owner = state.accounts.get(state.orders.get(oldest)?.accountId ?? '');
	state.closed.delete(oldest);
	state.orders.delete(oldest);
	if (owner && owner.orders.length > 2 * HISTORY_MAX) {
		owner.orders = owner.orders.filter((id) => state.orders.has(id));
	}
}
