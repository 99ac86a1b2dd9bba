/** One kind of simulation: a seed decides everything that happens in it. */
export interface Suite {
	/** Lives through one seed and says which promises were broken. */
	run(seed: number, options?: { trace?: boolean; plant?: string }): Promise<Report>;
	/** Names of the bugs that can be planted into the client, to see that the simulation notices. */
	plants: readonly string[];
}

export interface Report {
	violations: readonly string[];
	/** The same for the same seed, always. */
	hash: number;
	/** What happened, when tracing. */
	lines: readonly string[];
}

/** The command that replays a seed. */
export const replay = (suite: string, seed: number, plant?: string): string =>
	`npm run sim -- --suite ${suite} --seed ${seed}${plant ? ` --plant ${plant}` : ''} --trace`;
