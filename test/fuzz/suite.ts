import fc from 'fast-check';
import { seeds } from './seeds';
import type { Target } from './target';

export interface Finding {
	target: string;
	/** The seed to add to `seeds.ts`. */
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
