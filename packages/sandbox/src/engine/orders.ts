import { bestPrice, crosses, openQuantity, opposite, rest } from './book';
import type { OrderRequest } from './order-request';
import { balanceOf, reserve } from './ledger';
import { payable } from './market';
import { fillable, match, settleTrade } from './trading';
import { publishOrder, cancelOrder, changeStatus, payingCurrency } from './order-life';
import { drawUuid } from './random';
import { schedule } from './schedule';
import { settingsInForce } from './settings';
import type { Account, MarketState, Step } from './state';
import type { Order } from './order';
import { accountOf, marketOf, type World } from './world';

/** Creates a pending order and schedules its matching. */
export function placeOrder(world: World, account: Account, request: OrderRequest): Order {
	const order = newOrder(world, account, request);
	scheduleWrite(world, { kind: 'process_order', orderId: order.id });
	publishOrder(world, order);
	return order;
}

/** An order write takes effect some time after it was acknowledged. */
export const scheduleWrite = ({ state }: World, step: Step): void =>
	schedule(state, state.now + settingsInForce(state).orderDelayMs, step);

export function newOrder({ state }: World, account: Account, request: OrderRequest): Order {
	const order: Order = {
		...request,
		// No client sees orders of the seeded market, and a counter is cheaper than a UUID.
		id: account.internal ? `seeded-${++state.seededOrders}` : drawUuid(state),
		number: ++state.orderCount,
		accountId: account.id,
		filled: 0n,
		exactValue: 0n,
		reserved: 0n,
		status: 'pending',
		place: 0,
		closing: null,
		reason: null,
		replacedBy: null,
		replaces: null,
		createdAt: state.now,
		updatedAt: state.now,
	};
	state.orders.set(order.id, order);
	if (!account.internal) account.orders.push(order.id);
	return order;
}

export function processOrder(world: World, orderId: string): void {
	const order = world.state.orders.get(orderId);
	if (order?.status === 'pending') admit(world, order);
}

/** Processes a pending order: reserves funds, matches it, then rests or closes it. */
export function admit(world: World, order: Order): void {
	const market = marketOf(world, order.pairId);
	const objection = objectionTo(world, market, order, 0n);
	if (objection) return changeStatus(world, order, 'rejected', objection);
	order.reserved = neededFor(world, market, order);
	reserve(accountOf(world, order.accountId), payingCurrency(world, order), order.reserved);
	order.place = ++market.places;
	changeStatus(world, order, 'accepted');
	if (
		order.timeInForce === 'FOK' &&
		fillable(market.book, order, world.state.settings.selfTrade).quantity < order.quantity
	) {
		return cancelOrder(world, order, 'The whole quantity was not available at once.');
	}
	trade(world, market, order);
}

function trade(world: World, market: MarketState, taker: Order): void {
	const outcome = match(market.book, taker, {
		selfTrade: world.state.settings.selfTrade,
		trade: (maker, quantity, price) => settleTrade(world, market, { maker, taker, quantity, price }),
		cancelOwn: (maker) => cancelOrder(world, maker, 'It would have traded with another order of the same account.'),
	});
	if (openQuantity(taker) === 0n) return;
	if (outcome === 'met_own_order') {
		changeStatus(world, taker, 'cancelled', 'It would have traded with another order of the same account.');
	} else if (taker.timeInForce === 'GTC' || taker.timeInForce === 'POST_ONLY') {
		rest(market.book, taker);
	} else {
		changeStatus(world, taker, 'cancelled', 'No more could be filled at once.');
	}
}

/** The reason to reject the order, if any. `freed` is the reservation that a replaced order would release. */
export function objectionTo(world: World, market: MarketState, order: Order, freed: bigint): string | undefined {
	if (!market.rules.trading) return 'The market is not trading.';
	const best = bestPrice(market.book, opposite(order.side));
	if (order.timeInForce === 'POST_ONLY' && best !== undefined && crosses(order.side, order.price, best)) {
		return 'The order is post-only and would have traded at once.';
	}
	const { available } = balanceOf(accountOf(world, order.accountId), payingCurrency(world, order));
	if (neededFor(world, market, order) > available + freed) return 'Available funds do not cover the order.';
	return undefined;
}

/** The amount to reserve. A market buy has no price and reserves its cost against the current book. */
export function neededFor(world: World, market: MarketState, order: Order): bigint {
	if (order.side === 'sell') return openQuantity(order);
	const exact =
		order.price === null
			? fillable(market.book, order, world.state.settings.selfTrade).exactValue
			: order.price * openQuantity(order);
	return payable(market.rules, exact);
}
