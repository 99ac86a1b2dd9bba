/** Cancels and replacements: acknowledged immediately, executed by a scheduled step. The order may fill in between. */
import { openQuantity, swap } from './book';
import { clientOrderIdOf, priceOf, quantityOf, requireNotional, type Fields } from './order-request';
import { release, reserve } from './ledger';
import { cancelOrder, changeStatus, publishOrder, isOpen, payingCurrency } from './order-life';
import { admit, neededFor, newOrder, objectionTo, scheduleWrite } from './orders';
import { conflict, notFound } from './refusal';
import type { Account, MarketState } from './state';
import type { Order } from './order';
import { accountOf, marketOf, type World } from './world';

export function requestCancel(world: World, account: Account, fields: Fields): Order {
	const order = changeable(world, account, fields);
	order.closing = 'cancelling';
	scheduleWrite(world, { kind: 'cancel_order', orderId: order.id });
	return order;
}

export function applyCancel(world: World, orderId: string): void {
	const order = world.state.orders.get(orderId);
	if (order && isOpen(order)) cancelOrder(world, order, 'Cancelled on request.');
}

export function requestReplace(
	world: World,
	account: Account,
	fields: Fields,
): { original: Order; replacement: Order } {
	const original = changeable(world, account, fields);
	const { rules } = marketOf(world, original.pairId);
	if (original.price === null) throw conflict('order_not_replaceable', 'A market order cannot be replaced.');
	const asked = quantityOf(rules, fields);
	const price = priceOf(rules, fields);
	const quantity = openPart(world, original, asked);
	if (quantity <= 0n) throw conflict('order_already_filled', 'As much as the new quantity is filled already.');
	requireNotional(rules, price, quantity);
	const clientOrderId = clientOrderIdOf(fields) ?? original.clientOrderId;
	const replacement = newOrder(world, account, { ...requestOf(original), quantity, price, clientOrderId });
	replacement.replaces = original.id;
	original.closing = 'replacing';
	scheduleWrite(world, { kind: 'replace_order', orderId: original.id, newOrderId: replacement.id, asked });
	publishOrder(world, replacement);
	return { original, replacement };
}

/**
 * The open quantity of a replacement. By default `asked` is the new total including fills, so a late fill cannot exceed
 * it.
 */
const openPart = ({ state }: World, original: Order, asked: bigint): bigint =>
	state.settings.replaceQuantity === 'total' ? asked - original.filled : asked;

const requestOf = ({ pairId, type, side, timeInForce }: Order) => ({ pairId, type, side, timeInForce });

export function applyReplace(world: World, step: { orderId: string; newOrderId: string; asked: bigint }): void {
	const original = world.state.orders.get(step.orderId);
	const replacement = world.state.orders.get(step.newOrderId);
	if (replacement?.status !== 'pending') {
		if (original) original.closing = null;
		return;
	}
	if (!original || !isOpen(original))
		return changeStatus(world, replacement, 'rejected', 'The order to be replaced is no longer open.');
	const market = marketOf(world, original.pairId);
	const quantity = openPart(world, original, step.asked);
	if (quantity > 0n) replacement.quantity = quantity;
	const objection =
		quantity <= 0n
			? 'As much as the new quantity is filled already.'
			: objectionTo(world, market, replacement, original.reserved);
	if (objection) {
		original.closing = null;
		return changeStatus(world, replacement, 'rejected', objection);
	}
	original.replacedBy = replacement.id;
	if (keepsItsPlace(original, replacement)) return shrinkInPlace(world, market, original, replacement);
	cancelOrder(world, original, 'Replaced by another order.');
	admit(world, replacement);
}

/** An order keeps its queue position only if its price stays and its quantity shrinks. */
const keepsItsPlace = (original: Order, replacement: Order): boolean =>
	original.status !== 'pending' &&
	original.price === replacement.price &&
	replacement.quantity <= openQuantity(original);

function shrinkInPlace(world: World, market: MarketState, original: Order, replacement: Order): void {
	const account = accountOf(world, original.accountId);
	const currency = payingCurrency(world, original);
	swap(market.book, original, replacement);
	release(account, currency, original.reserved);
	original.reserved = 0n;
	changeStatus(world, original, 'cancelled', 'Replaced by another order.');
	replacement.reserved = neededFor(world, market, replacement);
	reserve(account, currency, replacement.reserved);
	changeStatus(world, replacement, 'accepted');
}

/** Finds an open order of the account. Orders of other accounts count as unknown. */
function changeable(world: World, account: Account, { order_id: id, pair_id: pairId }: Fields): Order {
	const match = typeof id === 'string' ? world.state.orders.get(id) : undefined;
	if (!match || match.accountId !== account.id || match.pairId !== pairId) {
		throw notFound('unknown_order', 'The account has no such order in this pair.');
	}
	const order = world.state.orders.get(match.id);
	if (!order || !isOpen(order))
		throw conflict(
			'order_not_open',
			`The order is ${match.status} and cannot be changed. Read it before anything else.`,
		);
	if (order.closing) throw conflict('order_changing', 'A cancel or a replacement of this order is already under way.');
	return order;
}
