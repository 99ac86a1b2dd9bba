import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areas } from '../bench/areas';
import { bundle } from '../bench/bundle';

/** Everything a process printed, whatever its exit code. */
interface ProcessOutput {
	stdout: string;
	stderr: string;
}

/** Runs every contestant of ours once. Speed is not tested here, and the peers are not installed. */
describe('the bench', () => {
	const root = join(__dirname, '..');
	const program = bundle('bench/main.ts', 'smoke');

	let lines: string[];
	// One process for all areas, because starting the hosts takes longer than the runs; output before a crash still
	// counts.
	beforeAll(async () => {
		const argv = ['--expose-gc', program, 'smoke', ...Object.keys(areas)];
		const report = await promisify(execFile)(process.execPath, argv, { cwd: root }).catch(
			(error: ProcessOutput) => error,
		);
		process.stderr.write(report.stderr);
		lines = report.stdout.trim().split('\n');
	});

	it.each(Object.entries(areas))('works through %s with each contestant of ours', (id, { contestants, curve }) => {
		const ours = Object.entries(contestants).filter(([, { peer }]) => peer === undefined);
		const wanted = curve === undefined ? ours : ours.slice(0, 1);
		expect(lines.filter((line) => line.startsWith(`${id}: `))).toEqual(wanted.map(([name]) => `${id}: ${name} ran`));
	});

	it.each(Object.entries(areas))(
		'compares in %s only what it measures',
		(_, { baseline, contestants, targets, limits }) => {
			const named = [
				baseline,
				...Object.values(contestants).flatMap(({ beside }) => beside ?? []),
				...(targets ?? []).flatMap(({ of, over }) => [of, over]),
				...(limits ?? []).flatMap(({ of, beyond }) => [of, ...(beyond === undefined ? [] : [beyond])]),
			];
			expect(named.filter((name) => !(name in contestants))).toEqual([]);
		},
	);
});
