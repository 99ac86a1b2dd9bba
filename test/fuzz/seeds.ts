/**
 * Runs that once found a defect, by target. They are repeated before any others: on a finding `npm run fuzz` prints the
 * line to add here.
 */
export const seeds: Readonly<Record<string, readonly { seed: number; path: string }[]>> = {
	// An error nested deeper than the stack allows.
	frames: [{ seed: 1, path: '5:2:5:1:2:1:1:1:1:1:7:2' }],
};
