/** The counts of shards and their totals: accounts are independent, so the sums are exact. */

export interface Phase {
	name: string;
	seconds: number;
	/** For each second of virtual time with any. */
	reads: Histogram;
	connects: Histogram;
	frames: Histogram;
	/** At the end of the run. */
	connections: number;
}

/** Counts by second. */
export type Histogram = Record<number, number>;

export interface ShardCounts {
	accounts: number;
	phases: Phase[];
	/**
	 * The time from the end of the outage until all accounts are connected, and until all have received what happened
	 * during it.
	 */
	connectedMs?: number | undefined;
	caughtUpMs?: number | undefined;
	made: number;
	delivered: number;
	repeated: number;
	heapBytes: number;
}

/** The totals over all shards, as if one process had counted them. */
export function together(shards: readonly ShardCounts[]): ShardCounts {
	const sum = (of: (shard: ShardCounts) => number): number => shards.reduce((total, shard) => total + of(shard), 0);
	const latest = (of: (shard: ShardCounts) => number | undefined): number | undefined => {
		const times = shards.map(of);
		return times.includes(undefined) ? undefined : Math.max(...(times as number[]));
	};
	return {
		accounts: sum(({ accounts }) => accounts),
		phases: shards[0]!.phases.map((_, index) => samePhase(shards.map(({ phases }) => phases[index]!))),
		connectedMs: latest(({ connectedMs }) => connectedMs),
		caughtUpMs: latest(({ caughtUpMs }) => caughtUpMs),
		made: sum(({ made }) => made),
		delivered: sum(({ delivered }) => delivered),
		repeated: sum(({ repeated }) => repeated),
		heapBytes: sum(({ heapBytes }) => heapBytes),
	};
}

function samePhase(all: Phase[]): Phase {
	const { name, seconds } = all[0]!;
	return {
		...{ name, seconds },
		reads: added(all.map(({ reads }) => reads)),
		connects: added(all.map(({ connects }) => connects)),
		frames: added(all.map(({ frames }) => frames)),
		connections: all.reduce((total, { connections }) => total + connections, 0),
	};
}

function added(all: readonly Histogram[]): Histogram {
	const sums: Histogram = {};
	for (const entry of all)
		for (const [second, count] of Object.entries(entry)) sums[+second] = (sums[+second] ?? 0) + count;
	return sums;
}

export const totalOf = (counts: Histogram): number => Object.values(counts).reduce((total, count) => total + count, 0);
/** In the busiest second. */
export const peakOf = (counts: Histogram): number =>
	Object.values(counts).reduce((most, count) => Math.max(most, count), 0);
