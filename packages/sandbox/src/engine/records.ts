/** Wire format of records. Names come from the interface; those it does not show are listed in assumptions.ts. */
import { formatRatio, formatUnits } from './amounts';
import type { Candle, Interval } from './candles';
import { receivable, type Market } from './market';
import type { MarketView, Notification, Recipient, Transaction } from './state';
import type { Fill, Order, Trade } from './order';
import { levelsOf } from './book';
import { timestamp } from './world';

export const orderRecord = (order: Order, market: Market) => ({
	id: order.id,
	client_order_id: order.clientOrderId ?? '',
	pair_id: order.pairId,
	order_type: order.type,
	side: order.side,
	quantity: formatUnits(order.quantity, market.quantityDecimals),
	price: order.price === null ? null : formatUnits(order.price, market.priceDecimals),
	filled_quantity: formatUnits(order.filled, market.quantityDecimals),
	avg_fill_price: averagePrice(order, market),
	status: order.status as string,
	time_in_force: order.timeInForce,
	created_at: timestamp(order.createdAt),
	updated_at: timestamp(order.updatedAt),
	reject_reason: order.status === 'rejected' ? order.reason : null,
	cancel_reason: order.status === 'cancelled' ? order.reason : null,
	replace: { replaced_by_order_id: order.replacedBy, replaces_order_id: order.replaces },
});

const averagePrice = ({ filled, exactValue }: Order, market: Market): string =>
	filled === 0n
		? formatUnits(0n, market.priceDecimals)
		: formatRatio(exactValue, filled * 10n ** BigInt(market.priceDecimals), market.priceDecimals);

export const fillRecord = (fill: Fill, market: Market) => ({
	id: fill.id,
	order_id: fill.orderId,
	client_order_id: fill.clientOrderId ?? '',
	trade_id: fill.tradeId,
	pair_id: fill.pairId,
	side: fill.side,
	price: formatUnits(fill.price, market.priceDecimals),
	quantity: formatUnits(fill.quantity, market.quantityDecimals),
	quote_quantity: formatUnits(fill.value, market.quoteDecimals),
	fee: formatUnits(0n, market.quoteDecimals),
	fee_currency: market.quote,
	liquidity: fill.liquidity,
	created_at: timestamp(fill.at),
});

export const tradeRecord = (trade: Trade, market: Market) => ({
	id: trade.id,
	pair_id: market.pairId,
	price: formatUnits(trade.price, market.priceDecimals),
	quantity: formatUnits(trade.quantity, market.quantityDecimals),
	side: trade.side,
	sequence: trade.sequence,
	created_at: timestamp(trade.at),
});

export const levelRecord = (price: bigint, quantity: bigint, market: Market) => ({
	price: formatUnits(price, market.priceDecimals),
	quantity: formatUnits(quantity, market.quantityDecimals),
});

export function sideRecord({ book, rules }: MarketView, side: 'buy' | 'sell', levelsMax: number) {
	const levels = [];
	for (const { price, quantity } of levelsOf(book, side)) {
		if (levels.length >= levelsMax) break;
		levels.push(levelRecord(price, quantity, rules));
	}
	return levels;
}

export const bookRecord = (market: MarketView, now: number, levelsMax: number) => ({
	pair_id: market.rules.pairId,
	bids: sideRecord(market, 'buy', levelsMax),
	asks: sideRecord(market, 'sell', levelsMax),
	sequence: market.book.sequence,
	timestamp: timestamp(now),
});

const candleRecord = (candle: Candle, market: Market) => ({
	open: formatUnits(candle.open, market.priceDecimals),
	high: formatUnits(candle.high, market.priceDecimals),
	low: formatUnits(candle.low, market.priceDecimals),
	close: formatUnits(candle.close, market.priceDecimals),
	volume: formatUnits(candle.volume, market.quantityDecimals),
	volume_quote: formatUnits(receivable(market, candle.exactValue), market.quoteDecimals),
	trade_count: candle.tradeCount,
	timestamp: timestamp(candle.at),
});

export const candleSeriesRecord = (market: Market, interval: Interval, candles: Candle[]) => ({
	pair_id: market.pairId,
	interval,
	candles: candles.map((candle) => candleRecord(candle, market)),
});

export const marketRecord = (market: Market) => ({
	pair_id: market.pairId,
	base_currency: market.base,
	quote_currency: market.quote,
	status: market.trading ? 'trading' : 'halted',
	order_types: ['limit', 'market'],
	time_in_force: ['GTC', 'IOC', 'FOK', 'POST_ONLY'],
	price_precision: market.priceDecimals,
	quantity_precision: market.quantityDecimals,
	price_tick: formatUnits(1n, market.priceDecimals),
	quantity_step: formatUnits(1n, market.quantityDecimals),
	min_quantity: formatUnits(market.quantityMin, market.quantityDecimals),
	max_quantity: formatUnits(market.quantityMax, market.quantityDecimals),
	min_notional: formatUnits(market.notionalMin, market.quoteDecimals),
});

/** The sandbox assumes two decimals for all wallet currencies and stablecoins. */
const WALLET_DECIMALS = 2;
export const money = (units: bigint): string => formatUnits(units, WALLET_DECIMALS);

export const transactionRecord = (transaction: Transaction) => ({
	id: transaction.id,
	type: transaction.kind,
	rail: transaction.rail,
	currency: transaction.currency,
	settlement_rail: transaction.settlementRail,
	chain: transaction.chain,
	amount: money(transaction.amount),
	status: transaction.status,
	reference: transaction.reference,
	created_at: timestamp(transaction.createdAt),
	updated_at: timestamp(transaction.updatedAt),
});

export const recipientRecord = (recipient: Recipient) => ({
	id: recipient.id,
	recipient_type: recipient.type,
	currency: recipient.currency,
	label: recipient.label,
	account_name: recipient.accountName,
	account_number: recipient.accountNumber,
	bank_code: recipient.bankCode,
	bank_name: recipient.bankName,
	chain: recipient.chain,
	crypto_address: recipient.cryptoAddress,
	created_at: timestamp(recipient.createdAt),
	updated_at: timestamp(recipient.updatedAt),
});

export const notificationRecord = (notification: Notification) => ({
	id: notification.id,
	title: notification.title,
	body: notification.body,
	created_at: timestamp(notification.at),
});
