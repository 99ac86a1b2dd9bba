import { pairKey } from '@partner-exchange/core/catalogue';
import { isOpen } from '../engine/order-life';
import { bookRecord, fillRecord, orderRecord, tradeRecord } from '../engine/records';
import { marketOf } from '../engine/world';
import type { AccountView, MarketView } from '../engine/state';
import type { SessionContext } from './session-context';

const LEVELS_MAX = 100;
const RECENT_MAX = 50;
const OPEN_ORDERS_MAX = 200;

/** The snapshot of a topic. Wildcards have none. */
export function snapshotOf({ exchange, session }: SessionContext, topic: string): object | null {
	const { state } = exchange.engine;
	const market = [...state.markets.values()].find(({ rules }) => topic.endsWith(`.${pairKey(rules.pairId)}`));
	if (market && topic.startsWith('orderbook.')) return bookRecord(market, state.now, LEVELS_MAX);
	if (market && topic.startsWith('trades.')) return recentTrades(market);
	const account = session.caller?.account;
	if (account && topic === 'user.orders') return openOrders(exchange.engine, account);
	if (account && topic === 'user.fills') return recentFills(exchange.engine, account);
	return null;
}

const recentTrades = ({ trades, rules }: MarketView) => ({
	trades: trades.slice(-RECENT_MAX).map((trade) => tradeRecord(trade, rules)),
});

function openOrders(world: SessionContext['exchange']['engine'], account: AccountView) {
	const orders = [];
	for (let index = account.orders.length - 1; index >= 0 && orders.length < OPEN_ORDERS_MAX; index--) {
		const order = world.state.orders.get(account.orders[index] as string);
		if (order && isOpen(order)) orders.push(orderRecord(order, marketOf(world, order.pairId).rules));
	}
	return { orders };
}

const recentFills = (world: SessionContext['exchange']['engine'], { fills }: AccountView) => ({
	fills: fills.slice(-RECENT_MAX).map((fill) => fillRecord(fill, marketOf(world, fill.pairId).rules)),
});
