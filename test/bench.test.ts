import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areas } from '../bench/areas';
import { bundle } from '../bench/bundle';

/** Every contestant of ours does its work; how fast, no test says. Peers are not installed for this. */
describe('the bench', () => {
	const root = join(__dirname, '..');
	const program = bundle('bench/main.ts', 'smoke');

	it.each(Object.entries(areas))(
		'works through %s with each contestant of ours',
		async (id, { contestants, curve }) => {
			const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, 'smoke', id], {
				cwd: root,
			});
			const ours = Object.entries(contestants).filter(([, { peer }]) => peer === undefined);
			const wanted = curve === undefined ? ours : ours.slice(0, 1);
			expect(stdout.trim().split('\n')).toEqual(wanted.map(([name]) => `${name} ran`));
		},
	);

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
