import type { Area, Contestant, Sample } from './area';
import { isThere } from './peers';
import { sampleOf, startPart, withinLimit } from './processes';

/** What all rounds of an area came to, by contestant and in the order of the rounds. */
export type Samples = Readonly<Record<string, readonly Sample[]>>;

/** An area as it was measured. A contestant that could not be measured in each round is under `failed` instead, with the reason. */
export interface Measured {
	samples: Samples;
	failed: Readonly<Record<string, string>>;
}

export interface Plan {
	program: string;
	rounds: number;
	size: number;
}

/** A contestant that fails is tried once more, so that one bad moment of the machine does not cost its row. */
const TRIES = 2;

/** Every contestant once in each round, so that what the machine does at a time happens to all of them. */
export async function measure(id: string, area: Area, { program, rounds, size }: Plan): Promise<Measured> {
	const server = area.serve && startPart(program, 'serve', id, String(size));
	try {
		const address = server ? await withinLimit(server) : '';
		const samples: Record<string, Sample[]> = {};
		const failed: Record<string, string> = {};
		for (let round = 1; round <= rounds; round += 1)
			for (const [name, { peer }] of contestantsOf(area)) {
				if (name in failed) continue;
				if (!isThere(peer)) failed[name] = `${peer} is not installed`;
				else
					await tried(() => sampleOf(program, id, name, size, address)).then(
						(sample) => (samples[name] ??= []).push(sample),
						(error: Error) => (failed[name] = error.message),
					);
				if (name in failed) delete samples[name];
			}
		return { samples, failed };
	} finally {
		server?.child.kill();
	}
}

async function tried<Result>(work: () => Promise<Result>): Promise<Result> {
	for (let left = TRIES; left > 1; left -= 1) {
		try {
			return await work();
		} catch {
			// What went wrong was printed where it happened.
		}
	}
	return work();
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

/** One contestant over another, round by round. */
export const ratioBetween = (area: Area, samples: Samples, of: string, over: string): Spread =>
	spreadOf(
		samples[of]!.map((sample, round) => speedOf(sample, area.judged) / speedOf(samples[over]![round]!, area.judged)),
	);

export const contestantsOf = (area: Area): [string, Contestant][] => Object.entries(area.contestants);
