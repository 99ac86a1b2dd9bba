/**
 * Runs that once found something, by target. They are run again before any other: `npm run fuzz` prints the line to add when
 * it finds the next one.
 */
export const seeds: Readonly<Record<string, readonly { seed: number; path: string }[]>> = {
	// An error nested deeper than the stack.
	frames: [{ seed: 1, path: '5:2:5:1:2:1:1:1:1:1:7:2' }],
};
