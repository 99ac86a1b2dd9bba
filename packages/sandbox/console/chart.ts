import {
	CandlestickSeries,
	createChart,
	HistogramSeries,
	type CandlestickData,
	type HistogramData,
	type IChartApi,
	type UTCTimestamp,
} from 'lightweight-charts';
import { byId, setText } from './dom';
import { grouped } from './decimal';
import type { Candle } from './state';
import { dayAndTime } from './time';

/** The picture is drawn with numbers; the line above it repeats the chosen candle in the exchange's exact words. */
export function candleChart(): (candles: readonly Candle[]) => void {
	const chart = createChart(byId('chart'), { autoSize: true, ...layout() });
	const prices = chart.addSeries(CandlestickSeries, candleColors());
	const volume = chart.addSeries(HistogramSeries, volumeOptions);
	chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
	let candles: readonly Candle[] = [];
	let byTime = new Map<number, Candle>();

	const draw = () => {
		prices.setData(candles.map(candleOf));
		volume.setData(candles.map(volumeOf()));
	};
	const describe = (time?: number) => setText(byId('candle'), words(byTime.get(time ?? -1) ?? candles.at(-1)));

	chart.subscribeCrosshairMove(({ time }) => describe(typeof time === 'number' ? time : undefined));
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		chart.applyOptions(layout());
		prices.applyOptions(candleColors());
		draw();
	});
	return (latest) => {
		const first = candles.length === 0;
		candles = [...latest].sort((a, b) => seconds(a) - seconds(b));
		byTime = new Map(candles.map((candle) => [seconds(candle), candle]));
		draw();
		if (first) fit(chart, candles.length);
		describe();
		const empty = byId('chart-empty');
		empty.hidden = candles.length > 0;
		setText(empty, 'No candle yet: the first trade draws one.');
	};
}

/** Candles keep a readable width: few of them do not fill the whole panel. */
function fit(chart: IChartApi, count: number): void {
	chart.timeScale().setVisibleLogicalRange({ from: count - 80, to: count + 3 });
}

const seconds = (candle: Candle): UTCTimestamp => (Date.parse(candle.timestamp) / 1000) as UTCTimestamp;

const candleOf = (candle: Candle): CandlestickData<UTCTimestamp> => ({
	time: seconds(candle),
	open: Number(candle.open),
	high: Number(candle.high),
	low: Number(candle.low),
	close: Number(candle.close),
});

function volumeOf(): (candle: Candle) => HistogramData<UTCTimestamp> {
	const [up, down] = [color('--up-soft'), color('--down-soft')];
	return (candle) => ({
		time: seconds(candle),
		value: Number(candle.volume),
		color: Number(candle.close) >= Number(candle.open) ? up : down,
	});
}

function words(candle: Candle | undefined): string {
	if (!candle) return '';
	const { timestamp, open, high, low, close, volume } = candle;
	const prices = [open, high, low, close].map(grouped);
	return `${dayAndTime(timestamp).slice(5, 16)}  O ${prices[0]}  H ${prices[1]}  L ${prices[2]}  C ${prices[3]}  Vol ${grouped(volume)}`;
}

const volumeOptions = {
	priceFormat: { type: 'volume' },
	priceScaleId: 'volume',
	lastValueVisible: false,
	priceLineVisible: false,
} as const;

const candleColors = () => ({
	upColor: color('--up'),
	downColor: color('--down'),
	wickUpColor: color('--up'),
	wickDownColor: color('--down'),
	borderVisible: false,
	priceFormat: { type: 'price', precision: 2, minMove: 0.01 } as const,
});

const layout = () => ({
	// The credit is in the page's footer, because the built-in logo would need inline styles, which the page forbids
	// itself.
	layout: {
		background: { color: color('--panel') },
		textColor: color('--quiet'),
		attributionLogo: false,
		fontSize: 11,
	},
	grid: { vertLines: { color: color('--line-soft') }, horzLines: { color: color('--line-soft') } },
	rightPriceScale: { borderColor: color('--line'), scaleMargins: { top: 0.08, bottom: 0.24 } },
	timeScale: { borderColor: color('--line'), timeVisible: true, secondsVisible: false },
	handleScroll: { mouseWheel: false },
	handleScale: { mouseWheel: false },
});

/** A canvas knows no CSS variables, so the browser is asked what the variable amounts to now. */
function color(name: string): string {
	const probe = byId('chart');
	const before = probe.style.color;
	probe.style.color = `var(${name})`;
	const computed = getComputedStyle(probe).color;
	probe.style.color = before;
	return computed;
}
