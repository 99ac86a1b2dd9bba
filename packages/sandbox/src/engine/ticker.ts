import { formatRatio, formatUnits } from './amounts';
import { bestPrice } from './book';
import { receivable } from './market';
import type { MarketView } from './state';
import { timestamp } from './world';

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
