import type { Patch } from './patched';

/** One kind of simulation: everything in it is determined by a seed. */
export interface Suite {
	/** Runs one seed and returns the violated guarantees. */
	run(seed: number, options?: RunOptions): Promise<Report>;
	/** The defects that can be planted in the client, to verify that the simulation detects them. */
	plants: { readonly [name: string]: Planted };
	/** The layers that can be selected for a seed, if there are any. */
	layers: readonly string[];
}

/** A plantable defect, as far as all suites know it. */
export interface Planted {
	/** For a defect in the client's source: the change that makes it. */
	patch?: Patch;
	/** A seed known to show it, for defects that few seeds show: the search begins with it. */
	seed?: number;
	/** The layer that shows it; without one, every seed has its usual layer. */
	layer?: string;
}

/** The planted defects; those that few seeds show have a seed that does. */
export const withSeeds = <P extends Planted>(
	bugs: Readonly<Record<string, P>>,
	seeds: Readonly<Record<string, number>>,
) => Object.fromEntries(Object.entries(bugs).map(([name, bug]) => [name, { ...bug, seed: seeds[name] }]));

export interface RunOptions {
	trace?: boolean;
	plant?: string;
	/** The layer to use instead of the seed's own, for a suite with layers. */
	layer?: string;
	/** Faults to add to those drawn from the seed, for a suite with weather. */
	weather?: Readonly<Record<string, unknown>>;
}

export interface Report {
	violations: readonly string[];
	/** A digest of the life: one seed has one, always. */
	hash: number;
	/** The number of delivered events, where events are what the suite is about. */
	events?: number;
	/** The log of the run, when tracing. */
	lines: readonly string[];
}

/** The command that replays a seed. */
export const replay = (
	suite: string,
	seed: number,
	{ plant, layer }: { plant?: string; layer?: string } = {},
): string =>
	`npm run sim -- --suite ${suite} --seed ${seed}${layer ? ` --layer ${layer}` : ''}${plant ? ` --plant ${plant}` : ''} --trace`;
