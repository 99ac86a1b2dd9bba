import type { Trade } from './order';

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
