/**
 * A share of all mutants, the same one each time: with `MUTANTS_PERCENT=5`, 5 of 100 are tried and the rest stay out of the
 * score. Asking about every change of the core takes hours; a sample that no one chose tells its score in minutes. Tests
 * written against one sample are judged by another, which `MUTANTS_SEED=2` draws.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';

const percent = Number(process.env.MUTANTS_PERCENT ?? 100);
const seed = process.env.MUTANTS_SEED ?? '';

const passed = { status: 'passed' };
const outside = { status: 'compileError', reason: `not among the ${percent} % that are tried` };

/** What a mutant changes and where decides, so that a sample of 10 % holds the sample of 5 % of the same seed. */
function isTried({ fileName, location, replacement }) {
	const change = [relative('.', fileName).replace(/^\.mutate\/[^/]+\//, ''), JSON.stringify(location), replacement];
	return (
		createHash('sha256')
			.update(seed + change.join('\n'))
			.digest()
			.readUInt32BE(0) %
			10_000 <
		percent * 100
	);
}

class Sample {
	async init() {}

	async check(mutants) {
		return Object.fromEntries(mutants.map((mutant) => [mutant.id, isTried(mutant) ? passed : outside]));
	}

	/** One group for all: a decision costs nothing. */
	async group(mutants) {
		return [mutants.map(({ id }) => id)];
	}
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: Sample }];
