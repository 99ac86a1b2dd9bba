import fc from 'fast-check';
import type { Target } from './target';

/**
 * Runs that once found a defect, by target. They are repeated before any others: on a finding `npm run fuzz` prints the
 * line to add here.
 */
const seeds: Readonly<Record<string, readonly { seed: number; path: string }[]>> = {
	// An error nested deeper than the stack allows.
	frames: [{ seed: 1, path: '5:2:5:1:2:1:1:1:1:1:7:2' }],
};

export interface Finding {
	target: string;
	/** The line to add to `seeds`. */
	kept: string;
	report: string;
}

/** Runs one target this many times: the stored seeds first, then seeds derived from one that is printed on failure. */
export async function fuzz({ name, property }: Target, seed: number, runs: number): Promise<Finding | undefined> {
	for (const stored of seeds[name] ?? []) {
		const finding = findingOf(name, await fc.check(property, { ...stored, endOnFailure: true }));
		if (finding) return finding;
	}
	return findingOf(name, await fc.check(property, { seed, numRuns: runs }));
}

function findingOf(target: string, result: fc.RunDetails<unknown>): Finding | undefined {
	if (!result.failed) return undefined;
	const { seed, counterexamplePath } = result;
	const report = fc.defaultReportMessage(result) ?? '';
	return { target, kept: JSON.stringify({ seed, path: counterexamplePath ?? '' }), report };
}
