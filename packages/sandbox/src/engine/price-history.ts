/**
 * Generates candles from before the start of a seeded market, so that its charts are full. No trades exist for them.
 */
import { CANDLES_KEPT_MAX, intervals, type Candle, type Candles, type Interval } from './candles';
import { drawBelow, seedRandom, type RandomState } from './random';

const DAY_MS = intervals['1d'];

interface Stage {
	/** Each generated bar is a candle of this interval, and is merged into the candles of longer intervals. */
	interval: Interval;
	/** Where the stage begins, in whole days before the day of the start; it ends where the next stage begins. */
	days: number;
	/** Most price units between open and close of a bar, and beyond them to its high and low. */
	move: number;
}

const stages: readonly Stage[] = [
	{ interval: '1d', days: 365, move: 3_000 },
	{ interval: '1h', days: 60, move: 800 },
	{ interval: '15m', days: 10, move: 450 },
	{ interval: '1m', days: 1, move: 130 },
];
/** Most trades per minute and most quantity per trade, similar to those of the seeded market. */
const TRADES_PER_MINUTE = 50;
const TRADE_MAX = 400_00;
/** Mean reversion: each bar returns 1/PULL of its distance to the opening price. */
const PULL = 40;

/** Uses a random generator of its own, so that the history does not change how the seeded market continues. */
export function seedHistory(
	candles: Candles,
	{ seed, now, close }: { seed: number; now: number; close: bigint },
): void {
	const random = seedRandom(seed, 3);
	const today = now - (now % DAY_MS);
	const bars: { candle: Candle; ms: number }[] = [];
	let end = now - (now % intervals['1m']);
	let price = Number(close);
	// Generated backwards from the known last close: each bar closes where the next one opens.
	for (const { interval, days, move } of [...stages].reverse()) {
		const ms = intervals[interval];
		for (let at = end - ms; at >= today - days * DAY_MS; at -= ms) {
			const open = price + drawBelow(random, 2 * move + 1) - move - Math.trunc((price - Number(close)) / PULL);
			bars.push({ candle: barOf(random, { at, open, close: price, reach: move }, ms), ms });
			price = open;
		}
		end = today - days * DAY_MS;
	}
	for (const { candle, ms } of bars.reverse()) append(candles, candle, ms);
}

function barOf(
	random: RandomState,
	{ at, open, close, reach }: { at: number; open: number; close: number; reach: number },
	ms: number,
): Candle {
	const tradeCount = (ms / intervals['1m']) * (1 + drawBelow(random, TRADES_PER_MINUTE));
	const volume = BigInt(tradeCount) * BigInt(1_00 + drawBelow(random, TRADE_MAX));
	return {
		at,
		open: BigInt(open),
		high: BigInt(Math.max(open, close) + drawBelow(random, reach)),
		low: BigInt(Math.min(open, close) - drawBelow(random, reach)),
		close: BigInt(close),
		volume,
		exactValue: (volume * BigInt(open + close)) / 2n,
		tradeCount,
	};
}

function append(candles: Candles, bar: Candle, ms: number): void {
	for (const interval of Object.keys(intervals) as Interval[]) {
		if (intervals[interval] < ms) continue;
		const series = candles[interval];
		const at = bar.at - (bar.at % intervals[interval]);
		const last = series.at(-1);
		if (last?.at === at) merge(last, bar);
		else series.push({ ...bar, at });
		if (series.length > CANDLES_KEPT_MAX) series.shift();
	}
}

function merge(candle: Candle, bar: Candle): void {
	if (bar.high > candle.high) candle.high = bar.high;
	if (bar.low < candle.low) candle.low = bar.low;
	candle.close = bar.close;
	candle.volume += bar.volume;
	candle.exactValue += bar.exactValue;
	candle.tradeCount += bar.tradeCount;
}
