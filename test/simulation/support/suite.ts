/** One kind of simulation: a seed decides everything that happens in it. */
export interface Suite {
	/** Lives through one seed and says which promises were broken. */
	run(seed: number, options?: RunOptions): Promise<Report>;
	/** Names of the bugs that can be planted into the client, to see that the simulation notices. */
	plants: readonly string[];
}

export interface RunOptions {
	trace?: boolean;
	plant?: string;
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
export const replay = (suite: string, seed: number, plant?: string): string =>
	`npm run sim -- --suite ${suite} --seed ${seed}${plant ? ` --plant ${plant}` : ''} --trace`;
