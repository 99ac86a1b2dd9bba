/** One kind of simulation: a seed decides everything that happens in it. */
export interface Suite {
	/** Lives through one seed and says which promises were broken. */
	run(seed: number, options?: RunOptions): Promise<Report>;
	/** The bugs that can be planted into the client, to see that the simulation notices. */
	plants: { readonly [name: string]: Planted };
	/** What a seed may be lived through alone, where there is a choice. */
	layers: readonly string[];
}

/** A bug that can be planted, as far as every suite knows it. */
export interface Planted {
	/** One that showed it when it was last looked for, where few do: the search begins with it. */
	seed?: number;
	/** The layer that shows it; without one, every seed has the layer it always has. */
	layer?: string;
}

/** Bugs, those that few lives show with the seed of one that does. */
export const withSeeds = <P extends Planted>(
	bugs: Readonly<Record<string, P>>,
	seeds: Readonly<Record<string, number>>,
) => Object.fromEntries(Object.entries(bugs).map(([name, bug]) => [name, { ...bug, seed: seeds[name] }]));

export interface RunOptions {
	trace?: boolean;
	plant?: string;
	/** The layer to live through whatever the seed's own is, for a suite that has layers. */
	layer?: string;
	/** Weather to have whatever the seed draws, for a suite that has weather. */
	weather?: Readonly<Record<string, unknown>>;
}

export interface Report {
	violations: readonly string[];
	/** The same for the same seed, always. */
	hash: number;
	/** How many events were handed to somebody, where that is what it is about. */
	events?: number;
	/** What happened, when tracing. */
	lines: readonly string[];
}

/** The command that replays a seed. */
export const replay = (
	suite: string,
	seed: number,
	{ plant, layer }: { plant?: string; layer?: string } = {},
): string =>
	`npm run sim -- --suite ${suite} --seed ${seed}${layer ? ` --layer ${layer}` : ''}${plant ? ` --plant ${plant}` : ''} --trace`;
