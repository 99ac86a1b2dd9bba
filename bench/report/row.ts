import type { Area, Sample } from '../area';
import {
	contestantsOf,
	cpuEach,
	memory,
	perSecond,
	ratioBetween,
	spreadOf,
	type Samples,
	type Spread,
} from '../rounds';

/** One contestant as it is shown, in text and on the page. */
export interface Row {
	name: string;
	title: string;
	speed: string;
	cpu: string;
	memory: string;
	latency: string;
	ratio: Spread;
	shownRatio: string;
	beside: string;
	note: string;
}

export const HEADINGS = ['', 'per second', 'CPU each', 'latency', 'memory', 'ratio [range]', 'beside', 'note'];

export const cellsOf = ({ title, speed, cpu, latency, memory, shownRatio, beside, note }: Row): string[] => [
	...[title, speed, cpu, latency, memory, shownRatio, beside, note],
];

export function rowsOf(area: Area, samples: Samples): Row[] {
	return contestantsOf(area)
		.filter(([name]) => samples[name] && samples[besideOf(area, name)])
		.map(([name, { title, note }]) => {
			const spread = ratioBetween(area, samples, name, besideOf(area, name));
			return {
				name,
				title,
				speed: count(perSecond(samples[name]!, area.judged).median),
				cpu: duration(cpuEach(samples[name]!).median),
				memory: `${memory(samples[name]!).median.toFixed(0)} MB`,
				latency: latencyOf(samples[name]!),
				ratio: spread,
				shownRatio: rangeOf(spread),
				beside: besideOf(area, name) === name ? '' : area.contestants[besideOf(area, name)]!.title,
				note: note ?? '',
			};
		});
}

/** What a user feels of an area, in a row for each such thing. */
export const feltIn = (area: Area, samples: Samples): string[][] =>
	contestantsOf(area)
		.filter(([name, { felt }]) => felt !== undefined && samples[name])
		.map(([name, { felt }]) => {
			const measured = samples[name]!;
			const onTheClock = duration(spreadOf(measured.map(({ ms, items }) => (ms * 1_000) / items)).median);
			return [felt!, latencyOf(measured) || onTheClock, duration(cpuEach(measured).median), area.title];
		});

export interface Verdict {
	text: string;
	met: boolean;
}

/** Whether what was promised holds. */
export const verdictsOf = (area: Area, samples: Samples): Verdict[] => [
	...targetsOf(area, samples),
	...limitsOf(area, samples),
];

function targetsOf(area: Area, samples: Samples): Verdict[] {
	return (area.targets ?? [])
		.filter(({ of, over }) => samples[of] && samples[over])
		.map(({ of, over, atLeast, says }) => {
			const spread = ratioBetween(area, samples, of, over);
			const [title, other] = [of, over].map((name) => area.contestants[name]!.title);
			const promise = says ?? `at least ${atLeast}x`;
			return { text: `${title} over ${other}: ${rangeOf(spread)}, ${promise}`, met: spread.median >= atLeast };
		});
}

/** Limits are told in milliseconds, which say little about another machine, or in memory. */
function limitsOf(area: Area, samples: Samples): Verdict[] {
	return (area.limits ?? [])
		.filter(({ of, beyond }) => samples[of] && (beyond === undefined || samples[beyond]))
		.map((limit) => {
			const { of, beyond } = limit;
			const [unit, most] = 'ms' in limit ? ['ms', limit.ms] : ['MB', limit.megabytes];
			const takes = (sample: Sample): number =>
				unit === 'MB' ? sample.megabytes : (area.judged === 'cpu' ? sample.cpuMs : sample.ms) / sample.items;
			const less = beyond === undefined ? [] : samples[beyond]!.map(takes);
			const beyondIt = samples[of]!.map((sample, round) => takes(sample) - (less[round] ?? 0));
			const { median, lowest, highest } = spreadOf(beyondIt);
			const where = beyond === undefined ? '' : ` beyond ${area.contestants[beyond]!.title}`;
			const range = `${digits(median)} ${unit} [${digits(lowest)}-${digits(highest)}]`;
			return { text: `${area.contestants[of]!.title}: ${range}${where}, at most ${most} ${unit}`, met: median <= most };
		});
}

const besideOf = (area: Area, name: string): string => area.contestants[name]!.beside ?? area.baseline;

const digits = (value: number): string =>
	value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

const rangeOf = ({ median, lowest, highest }: Spread): string =>
	`${digits(median)}x [${digits(lowest)}-${digits(highest)}]`;

/** The medians of the rounds: of half of the things, and of 99 in 100. */
function latencyOf(samples: readonly Sample[]): string {
	const measured = samples.flatMap(({ latency }) => latency ?? []);
	if (measured.length === 0) return '';
	const [median, most] = [measured.map(({ medianMs }) => medianMs), measured.map(({ mostMs }) => mostMs)].map(
		(values) => digits(spreadOf(values).median),
	);
	return `${median} ms, 99 %: ${most} ms`;
}

function count(value: number): string {
	if (value >= 1e6) return `${digits(value / 1e6)}M`;
	return value >= 1e3 ? `${digits(value / 1e3)}k` : digits(value);
}

function duration(microseconds: number): string {
	if (microseconds >= 1e6) return `${digits(microseconds / 1e6)} s`;
	return microseconds >= 1e3 ? `${digits(microseconds / 1e3)} ms` : `${digits(microseconds)} us`;
}
