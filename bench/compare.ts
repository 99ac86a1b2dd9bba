import { cpus, totalmem } from 'node:os';
import { execFileSync } from 'node:child_process';
import { areas } from './areas';
import { printTable } from './report/table';
import { readResults, writeResults, type Measured } from './report/results';
import { writePage } from './report/page';
import { measure } from './rounds';

const ROUNDS = 5;

const USAGE = `npm run bench -- [area ...] [--rounds=${ROUNDS}] [--scale=1]

Measures these areas, or all of them, which takes about half an hour on a quiet machine: ${Object.keys(areas).join(', ')}.
--scale multiplies how much is measured in each. The results stand in docs/benchmarks.md.
`;

/** Measures the named areas, or all, prints a table of each and writes docs/benchmarks.md anew. */
export async function compare(program: string, argv: readonly string[]): Promise<void> {
	if (argv.includes('--help')) return void process.stdout.write(USAGE);
	const { names, rounds, scale } = wanted(argv);
	const results = readResults();
	for (const id of names) {
		const area = areas[id]!;
		const say = (line: string): void => void process.stderr.write(`${line}\n`);
		const samples = await measure(id, area, { program, rounds, scale, say });
		results[id] = { ...circumstances(), rounds, size: Math.round(area.size * scale), samples };
		printTable(area, results[id]);
		// Written after each area, so that a run that is stopped keeps what it has measured.
		writeResults(results);
		writePage(areas, results);
	}
}

interface Wanted {
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
		const given = options.find((option) => option.startsWith(`--${name}=`));
		const value = given === undefined ? standard : Number(given.split('=')[1]);
		if (!(value > 0)) throw new Error(`--${name} takes a number above 0`);
		return value;
	};
	return {
		names: names.length > 0 ? names : Object.keys(areas),
		rounds: number('rounds', ROUNDS),
		scale: number('scale', 1),
	};
}

/** Without the machine and the commit a number means nothing. */
function circumstances(): Pick<Measured, 'at' | 'commit' | 'machine'> {
	const [processor] = cpus();
	const gigabytes = Math.round(totalmem() / 2 ** 30);
	const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
	const model = processor?.model.trim() || 'unnamed processor';
	return {
		at: new Date().toISOString().slice(0, 16).replace('T', ' '),
		commit,
		machine: `${cpus().length} x ${model}, ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}`,
	};
}
