import type { Area, Contestant, Sample } from './area';
import { isThere } from './peers';
import { sampleOf, startPart } from './processes';

/** What all rounds of an area came to, by contestant and in the order of the rounds. */
export type Samples = Readonly<Record<string, readonly Sample[]>>;

export interface Plan {
	program: string;
	rounds: number;
	size: number;
}

/** Every contestant once in each round, so that what the machine does at a time happens to all of them. */
export async function measure(id: string, area: Area, { program, rounds, size }: Plan): Promise<Samples> {
	const server = area.serve && startPart(program, 'serve', id, String(size));
	try {
		const address = server ? await server.line : '';
		const samples: Record<string, Sample[]> = {};
		for (let round = 1; round <= rounds; round += 1)
			for (const [name, { peer }] of contestantsOf(area)) {
				if (!isThere(peer)) continue;
				(samples[name] ??= []).push(await sampleOf(program, id, name, size, address));
			}
		return samples;
	} finally {
		server?.child.kill();
	}
}

/** A median with the lowest and the highest of what it is the median of. */
export interface Spread {
	median: number;
	lowest: number;
	highest: number;
}

export function spreadOf(values: readonly number[]): Spread {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
	return { median, lowest: sorted[0]!, highest: sorted.at(-1)! };
}

const speedOf = (sample: Sample, judged: Area['judged']): number =>
	sample.items / Math.max(judged === 'cpu' ? sample.cpuMs : sample.ms, 0.001);

/** Per second of processor time or of time on the clock. */
export const perSecond = (samples: readonly Sample[], judged: Area['judged']): Spread =>
	spreadOf(samples.map((sample) => speedOf(sample, judged) * 1_000));

/** Microseconds of processor time for each thing. */
export const cpuEach = (samples: readonly Sample[]): Spread =>
	spreadOf(samples.map(({ cpuMs, items }) => (cpuMs * 1_000) / items));

export const memory = (samples: readonly Sample[]): Spread => spreadOf(samples.map(({ megabytes }) => megabytes));

const besideOf = (area: Area, name: string): string => area.contestants[name]!.beside ?? area.baseline;

/** How many times as fast as what it is compared with, round by round. */
function ratiosOf(area: Area, samples: Samples, name: string): number[] {
	const beside = samples[besideOf(area, name)]!;
	return samples[name]!.map((sample, round) => speedOf(sample, area.judged) / speedOf(beside[round]!, area.judged));
}

export const ratio = (area: Area, samples: Samples, name: string): Spread => spreadOf(ratiosOf(area, samples, name));

/**
 * One contestant over another. Where they are compared with different things, because they read different messages, it is
 * the ratio of their ratios.
 */
export function ratioBetween(area: Area, samples: Samples, of: string, over: string): Spread {
	if (besideOf(area, of) === over) return ratio(area, samples, of);
	const others = ratiosOf(area, samples, over);
	return spreadOf(ratiosOf(area, samples, of).map((value, round) => value / others[round]!));
}

export const contestantsOf = (area: Area): [string, Contestant][] => Object.entries(area.contestants);
