import type { Trade } from './order';
import { formatRatio, formatUnits } from './amounts';
import { bestPrice } from './book';
import { receivable } from './market';
import type { MarketView } from './state';
import { timestamp } from './world';

export const intervals = {
	'1m': 60_000,
	'5m': 300_000,
	'15m': 900_000,
	'1h': 3_600_000,
	'4h': 14_400_000,
	'1d': 86_400_000,
} as const;
export type Interval = keyof typeof intervals;

/** Candles kept per interval; the oldest are dropped first. */
export const CANDLES_KEPT_MAX = 2_000;

export interface Candle {
	/** Start of the interval, on a UTC boundary. */
	at: number;
	open: bigint;
	high: bigint;
	low: bigint;
	close: bigint;
	volume: bigint;
	/** Price times quantity, before rounding. */
	exactValue: bigint;
	tradeCount: number;
}

/** Oldest first. Intervals without a trade have no candle. */
export type Candles = Record<Interval, Candle[]>;

export const emptyCandles = (): Candles => ({ '1m': [], '5m': [], '15m': [], '1h': [], '4h': [], '1d': [] });

export function recordTrade(candles: Candles, trade: Trade): void {
	for (const interval of Object.keys(intervals) as Interval[]) {
		const series = candles[interval];
		const at = trade.at - (trade.at % intervals[interval]);
		const last = series[series.length - 1];
		if (last?.at === at) extend(last, trade);
		else series.push(openCandle(at, trade));
		if (series.length > CANDLES_KEPT_MAX) series.shift();
	}
}

const openCandle = (at: number, { price, quantity }: Trade): Candle => ({
	at,
	open: price,
	high: price,
	low: price,
	close: price,
	volume: quantity,
	exactValue: price * quantity,
	tradeCount: 1,
});

function extend(candle: Candle, { price, quantity }: Trade): void {
	if (price > candle.high) candle.high = price;
	if (price < candle.low) candle.low = price;
	candle.close = price;
	candle.volume += quantity;
	candle.exactValue += price * quantity;
	candle.tradeCount++;
}

const DAY_MS = 86_400_000;

/** Best prices, and 24-hour statistics from minute candles; statistics are null without trades. */
export function tickerRecord(market: MarketView, now: number) {
	const { rules, book, candles, trades } = market;
	const day = candles['1m'].filter(({ at }) => at > now - DAY_MS);
	const open = day[0]?.open;
	const last = trades[trades.length - 1]?.price;
	const price = (units: bigint | undefined) => (units === undefined ? null : formatUnits(units, rules.priceDecimals));
	const change = open === undefined || last === undefined ? undefined : last - open;
	return {
		pair_id: rules.pairId,
		best_bid: price(bestPrice(book, 'buy')),
		best_ask: price(bestPrice(book, 'sell')),
		last_price: price(last),
		open_24h: price(open),
		high_24h: price(highest(day.map(({ high }) => high))),
		low_24h: price(lowest(day.map(({ low }) => low))),
		volume_24h: formatUnits(sum(day.map(({ volume }) => volume)), rules.quantityDecimals),
		volume_quote_24h: formatUnits(receivable(rules, sum(day.map(({ exactValue }) => exactValue))), rules.quoteDecimals),
		change_24h: price(change),
		change_percent_24h: change === undefined ? null : percent(change, open as bigint),
		trade_count_24h: day.reduce((total, { tradeCount }) => total + tradeCount, 0),
		timestamp: timestamp(now),
	};
}

const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const highest = ([first, ...others]: bigint[]) =>
	others.reduce((high, value) => (high && high > value ? high : value), first);
const lowest = ([first, ...others]: bigint[]) =>
	others.reduce((low, value) => (low && low < value ? low : value), first);

const percent = (change: bigint, of: bigint): string =>
	change < 0n ? `-${formatRatio(-change * 100n, of, 2)}` : formatRatio(change * 100n, of, 2);
