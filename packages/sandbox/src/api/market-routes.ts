import { CANDLES_DEFAULT, TRADES_DEFAULT } from '@partner-exchange/core/catalogue';
import { intervals, type Interval } from '../engine/candles';
import { bookRecord, candleSeriesRecord, marketRecord, sideRecord, tradeRecord } from '../engine/records';
import { invalid } from '../engine/refusal';
import { tickerRecord } from '../engine/ticker';
import { marketOf, timestamp, type WorldView } from '../engine/world';
import type { MarketView } from '../engine/state';
import { countOf, type Call, type RoutesOf } from './call';
import type { Dialect } from './dialect';

const CANDLES_MAX = 1_000;
const TRADES_MAX = 500;
const LEVELS = { standard: 100, max: 1_000 };

export const marketRoutes: RoutesOf<'market'> = {
	'market.list'({ state, dialect }) {
		const markets = [...state.markets.values()].map(({ rules }) => inDialect(marketRecord(rules), dialect));
		return { data: dialect.lists === 'bare' ? markets : { markets } };
	},

	'market.ticker': (call) => ({ data: tickerRecord(requestedMarket(call), call.state.now) }),

	'market.orderBook': (call) => {
		const market = marketOf(call.world, call.params.pair_id as string);
		return { data: bookRecord(market, call.state.now, countOf(call.query, 'levels', LEVELS)) };
	},

	'market.depth'({ world, state, params, query }) {
		const market = marketOf(world, params.pair_id as string);
		const side = query.get('side') ?? 'buy';
		if (side !== 'buy' && side !== 'sell') throw invalid('invalid_side', 'side must be one of buy, sell.');
		const levels = sideRecord(market, side, countOf(query, 'levels', LEVELS));
		const { sequence } = market.book;
		return { data: { pair_id: market.rules.pairId, side, levels, sequence, timestamp: timestamp(state.now) } };
	},

	'market.candles': ({ world, query }) => ({ data: candlesOf(world, query) }),

	'market.trades'(call) {
		const { trades, rules } = requestedMarket(call);
		const limit = countOf(call.query, 'limit', { standard: TRADES_DEFAULT, max: TRADES_MAX });
		const after = call.query.has('after_sequence')
			? countOf(call.query, 'after_sequence', { standard: 0, max: Number.MAX_SAFE_INTEGER, min: 0 })
			: undefined;
		const page =
			after === undefined ? trades.slice(-limit) : trades.filter(({ sequence }) => sequence > after).slice(0, limit);
		return { data: { trades: page.map((trade) => tradeRecord(trade, rules)) } };
	},
};

export function candlesOf(world: WorldView, query: URLSearchParams): object {
	const market = requestedMarket({ world, query });
	const interval = query.get('interval') ?? '';
	if (!Object.hasOwn(intervals, interval))
		throw invalid('invalid_interval', `interval must be one of ${Object.keys(intervals).join(', ')}.`);
	const before = timeOf(query.get('before'), world.state.now);
	const limit = countOf(query, 'limit', { standard: CANDLES_DEFAULT, max: CANDLES_MAX });
	const candles = market.candles[interval as Interval].filter(({ at }) => at < before).slice(-limit);
	return candleSeriesRecord(market.rules, interval as Interval, candles);
}

function requestedMarket({ world, query }: Pick<Call, 'world' | 'query'>): MarketView {
	const pairId = query.get('pair_id');
	if (pairId === null) throw invalid('pair_id_required', 'pair_id is required.');
	return marketOf(world, pairId);
}

const UTC_TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

function timeOf(text: string | null, now: number): number {
	if (text === null) return now + 1;
	const time = UTC_TIMESTAMP.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(time))
		throw invalid('invalid_before', 'before must be a UTC timestamp, such as 2026-01-31T00:00:00Z.');
	return time;
}

function inDialect(record: ReturnType<typeof marketRecord>, { precision }: Dialect): object {
	const { price_precision, quantity_precision, price_tick, quantity_step, ...others } = record;
	if (precision === 'decimals') return { ...others, price_precision, quantity_precision };
	if (precision === 'tick') return { ...others, price_tick, quantity_step };
	return precision === 'absent' ? others : record;
}
