import { intervals, type Interval } from '../../packages/sandbox/src/engine/candles';
import { sandboxFor } from './connection';

const candlesOf = async (options = {}) =>
	(await sandboxFor({ marketMaker: true, ...options })).engine.state.markets.get('USD/NGN')!.candles;

describe('the price history of the seeded market', () => {
	it('fills the chart of every interval at the start', async () => {
		const candles = await candlesOf();
		for (const [interval, least] of Object.entries({
			'1m': 1_000,
			'5m': 200,
			'15m': 500,
			'1h': 1_000,
			'4h': 200,
			'1d': 300,
		}))
			expect({ interval, full: candles[interval as Interval].length >= least }).toEqual({ interval, full: true });
	});

	it('draws the price history from the seed alone, without changing what the market does afterwards', async () => {
		const [entry, same, other] = [
			await candlesOf({ seed: 5 }),
			await candlesOf({ seed: 5 }),
			await candlesOf({ seed: 6 }),
		];
		expect(entry).toEqual(same);
		expect(entry['1d']).not.toEqual(other['1d']);
	});

	it('makes consistent bars: each opens where the last closed, and long ones sum up short ones', async () => {
		const candles = await candlesOf();
		for (const interval of Object.keys(intervals) as Interval[]) {
			for (const [index, { at, open, high, low, close, volume }] of candles[interval].entries()) {
				const before = candles[interval][index - 1];
				expect(at % intervals[interval]).toBe(0);
				if (before) expect([at > before.at, open]).toEqual([true, before.close]);
				expect([low > 0n && low <= open && low <= close, high >= open && high >= close, volume > 0n]).toEqual([
					true,
					true,
					true,
				]);
			}
		}
		const hour = candles['1h'].at(-2)!;
		const minutes = candles['1m'].filter(({ at }) => at >= hour.at && at < hour.at + intervals['1h']);
		expect(minutes.reduce((sum, { volume }) => sum + volume, 0n)).toBe(hour.volume);
		expect([minutes[0]!.open, minutes.at(-1)!.close]).toEqual([hour.open, hour.close]);
	});

	it('continues the price history with real trades, and has no trades behind it', async () => {
		const sandbox = await sandboxFor({ marketMaker: true });
		const { candles, trades } = sandbox.engine.state.markets.get('USD/NGN')!;
		expect(trades).toEqual([]);
		const last = candles['1m'].at(-1)!.at;
		sandbox.advance(120_000);
		expect(candles['1m'].at(-1)!.at).toBeGreaterThan(last);
		expect(candles['1m'].length).toBeLessThanOrEqual(2_000);
	});

	it('makes no price history where nothing trades by itself', async () => {
		expect((await candlesOf({ marketMaker: false }))['1d']).toEqual([]);
	});
});
