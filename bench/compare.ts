import { cpus, totalmem } from 'node:os';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { areas } from './areas';
import { printTable } from './report/table';
import { writeResults, type Results } from './report/results';
import { writePage } from './report/page';
import { measure } from './rounds';

const ROUNDS = 5;
/** A run on less than a whole run measures is a trial of the bench, and its page is for nobody else. */
const TRIAL = join('bench', 'dist', 'trial');

const USAGE = `npm run bench -- [area ...] [--rounds=${ROUNDS}] [--scale=1]

Measures all areas and writes bench/benchmarks.md from this one run: about 20 minutes on a quiet machine, 4 with --rounds=1.
With the names of some areas it measures these and prints them, and the page stays as it is: ${Object.keys(areas).join(', ')}.
--scale multiplies how much is measured in each; a page of all areas then goes to ${TRIAL}.
`;

/** Prints a table of each area, and writes bench/benchmarks.md where all were measured: one page is one run of one commit. */
export async function compare(program: string, argv: readonly string[]): Promise<void> {
	if (argv.includes('--help')) return void process.stdout.write(USAGE);
	const { names, rounds, scale } = wanted(argv);
	const began = performance.now();
	const where = circumstances();
	const measured: Results['areas'] = {};
	for (const id of names.length > 0 ? names : Object.keys(areas)) {
		const area = areas[id]!;
		const size = Math.max(1, Math.round(area.size * scale));
		try {
			const part = { size, ...(await measure(id, area, { program, rounds, size })) };
			measured[id] = part;
			printTable(area, part, rounds);
			// The page is written with what was measured, and says what is missing.
			if (Object.keys(part.failed).length > 0) process.exitCode = 1;
		} catch (error) {
			// An area that cannot be measured takes none of the others with it.
			process.exitCode = 1;
			process.stderr.write(`${id} could not be measured: ${error instanceof Error ? error.stack : String(error)}\n`);
		}
		process.stderr.write(`${id}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes since the beginning\n`);
	}
	if (names.length > 0) return;
	const minutes = Math.round((performance.now() - began) / 60_000);
	const results = { ...where, rounds, minutes, areas: measured };
	const folder = scale === 1 ? 'bench' : TRIAL;
	mkdirSync(folder, { recursive: true });
	writeResults(results, folder);
	writePage(areas, results, folder);
}

interface Wanted {
	/** None for all. */
	names: string[];
	rounds: number;
	scale: number;
}

function wanted(argv: readonly string[]): Wanted {
	const options = argv.filter((word) => word.startsWith('--'));
	const names = argv.filter((word) => !word.startsWith('--'));
	const unknown = options.find((option) => !/^--(rounds|scale)=/.test(option));
	if (unknown !== undefined) throw new Error(`There is no option ${unknown}. See npm run bench -- --help.`);
	const strange = names.find((name) => !(name in areas));
	if (strange !== undefined)
		throw new Error(`There is no area ${strange}. The areas are ${Object.keys(areas).join(', ')}.`);
	const number = (name: string, standard: number): number => {
		const option = options.find((word) => word.startsWith(`--${name}=`));
		const value = option === undefined ? standard : Number(option.split('=')[1]);
		if (!(value > 0)) throw new Error(`--${name} takes a number above 0`);
		return value;
	};
	return { names, rounds: number('rounds', ROUNDS), scale: number('scale', 1) };
}

/** Without the machine and the commit a number means nothing. Changes that are not committed are said. */
function circumstances(): Pick<Results, 'at' | 'commit' | 'machine'> {
	const [processor] = cpus();
	const gigabytes = Math.round(totalmem() / 2 ** 30);
	const git = (...argv: string[]): string => execFileSync('git', argv, { encoding: 'utf8' }).trim();
	const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
	const model = processor?.model.trim() || 'unnamed processor';
	return {
		at: new Date().toISOString().slice(0, 16).replace('T', ' '),
		commit: `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`,
		machine: `${cpus().length} x ${model}, ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}`,
	};
}
