import { recordTrade } from './candles';
import { openQuantity, bestLevel, crosses, levelsOf, opposite, reduceBest, type Book } from './book';
import { exchange, release } from './ledger';
import { payable, receivable, type Market } from './market';
import { changeStatus, HISTORY_MAX } from './order-life';
import { drawUuid } from './random';
import { fillRecord, tradeRecord } from './records';
import type { MarketState, Settings } from './state';
import type { Fill, Order, Trade } from './order';
import { accountOf, emitEvent, type World } from './world';
import { pairKey } from '@partner-exchange/core/catalogue';
import { smaller } from './amounts';

/** Public trades kept of each pair. */
const TRADES_KEPT_MAX = 10_000;

interface Deal {
	maker: Order;
	taker: Order;
	quantity: bigint;
	price: bigint;
}

/** Settles one trade: postings, both orders, public trade and fills. */
export function settleTrade(world: World, market: MarketState, deal: Deal): void {
	const { maker, taker, quantity, price } = deal;
	const [buyer, seller] = taker.side === 'buy' ? [taker, maker] : [maker, taker];
	const { paid, received } = exchangeFunds(world, market.rules, { buyer, seller, quantity, price });
	const trade: Trade = {
		id: drawUuid(world.state),
		price,
		quantity,
		side: taker.side,
		sequence: ++market.tradeCount,
		at: world.state.now,
	};
	recordPublicTrade(world, market, trade);
	for (const order of [maker, taker]) {
		recordFill(world, market.rules, { order, trade, value: order === buyer ? paid : received, maker });
		changeStatus(world, order, openQuantity(order) === 0n ? 'filled' : 'partially_filled');
	}
}

/**
 * Rounds running totals instead of single fills, so that a buyer never pays more than was reserved, and the rounding
 * difference is never negative.
 */
function exchangeFunds(
	world: World,
	rules: Market,
	{ buyer, seller, quantity, price }: { buyer: Order; seller: Order; quantity: bigint; price: bigint },
): { paid: bigint; received: bigint } {
	const exact = quantity * price;
	const paid = payable(rules, buyer.exactValue + exact) - payable(rules, buyer.exactValue);
	const received = receivable(rules, seller.exactValue + exact) - receivable(rules, seller.exactValue);
	const [from, to] = [accountOf(world, buyer.accountId), accountOf(world, seller.accountId)];
	exchange(world.state, { from, to, currency: rules.quote, paid, received });
	exchange(world.state, { from: to, to: from, currency: rules.base, paid: quantity, received: quantity });
	for (const order of [buyer, seller]) {
		order.filled += quantity;
		order.exactValue += exact;
	}
	seller.reserved -= quantity;
	const still = buyer.price === null ? buyer.reserved - paid : stillNeeded(rules, buyer);
	release(from, rules.quote, buyer.reserved - paid - still);
	buyer.reserved = still;
	return { paid, received };
}

/** The reservation for the open quantity of a limit buy; a price improvement is released at once. */
const stillNeeded = (rules: Market, order: Order): bigint =>
	payable(rules, order.exactValue + (order.price as bigint) * openQuantity(order)) - payable(rules, order.exactValue);

function recordPublicTrade(world: World, market: MarketState, trade: Trade): void {
	market.trades.push(trade);
	if (market.trades.length > 2 * TRADES_KEPT_MAX) market.trades.splice(0, TRADES_KEPT_MAX);
	recordTrade(market.candles, trade);
	emitEvent(world, `trades.${pairKey(market.rules.pairId)}`, null, tradeRecord(trade, market.rules));
}

function recordFill(
	world: World,
	rules: Market,
	{ order, trade, value, maker }: { order: Order; trade: Trade; value: bigint; maker: Order },
): void {
	const account = accountOf(world, order.accountId);
	if (account.internal) return;
	const fill: Fill = {
		id: drawUuid(world.state),
		orderId: order.id,
		clientOrderId: order.clientOrderId,
		tradeId: trade.id,
		pairId: order.pairId,
		side: order.side,
		price: trade.price,
		quantity: trade.quantity,
		value,
		liquidity: order === maker ? 'maker' : 'taker',
		at: trade.at,
	};
	account.fills.push(fill);
	if (account.fills.length > 2 * HISTORY_MAX) account.fills.splice(0, HISTORY_MAX);
	emitEvent(world, 'user.fills', account.id, fillRecord(fill, rules));
}

interface MatchingRules {
	selfTrade: Settings['selfTrade'];
	/** Executes a trade of this quantity at the maker's price. */
	trade(maker: Order, quantity: bigint, price: bigint): void;
	/** Cancels the taker's own resting order. */
	cancelOwn(maker: Order): void;
}

/** Trades an incoming order against the book, best price first, earliest first within a price. */
export function match(book: Book, taker: Order, rules: MatchingRules): 'done' | 'met_own_order' {
	const side = opposite(taker.side);
	let open = openQuantity(taker);
	for (let level = bestLevel(book, side); open > 0n && level; level = bestLevel(book, side)) {
		if (!crosses(taker.side, taker.price, level.price)) return 'done';
		const maker = level.queue[0] as Order;
		if (maker.accountId === taker.accountId) {
			if (rules.selfTrade === 'cancel_taker') return 'met_own_order';
			rules.cancelOwn(maker);
			continue;
		}
		const quantity = smaller(openQuantity(maker), open);
		open -= quantity;
		rules.trade(maker, quantity, level.price);
		reduceBest(book, side, quantity);
	}
	return 'done';
}

interface Fillable {
	quantity: bigint;
	/** Sum of price times quantity, before rounding. */
	exactValue: bigint;
}

/** How much an order could take from other accounts now, by the same rules as `match`. */
export function fillable(book: Book, taker: Order, selfTrade: Settings['selfTrade']): Fillable {
	const wanted = openQuantity(taker);
	const result: Fillable = { quantity: 0n, exactValue: 0n };
	for (const level of levelsOf(book, opposite(taker.side))) {
		if (!crosses(taker.side, taker.price, level.price)) break;
		for (const maker of level.queue) {
			if (maker.accountId === taker.accountId) {
				if (selfTrade === 'cancel_taker') return result;
				continue;
			}
			const quantity = smaller(openQuantity(maker), wanted - result.quantity);
			result.quantity += quantity;
			result.exactValue += quantity * level.price;
			if (result.quantity === wanted) return result;
		}
	}
	return result;
}
