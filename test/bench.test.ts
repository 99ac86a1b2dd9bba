import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areas } from '../bench/areas';
import { bundle } from '../bench/bundle';

/** One of each kind; its others do the same with more of it, or beside something else. */
const PLAYED = ['pages', 'quiet', 'triggers', 'rest', 'n8n-action', 'node-red-events', 'load', 'matching'];

/** Speed is not tested here, and the peers are not installed. */
describe('the bench', () => {
	it('runs each contestant of ours once, in an area of each kind', async () => {
		// One process for all areas, because starting takes longer than the runs.
		const argv = ['--expose-gc', bundle('bench/main.ts', 'smoke'), 'smoke', ...PLAYED];
		const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: join(__dirname, '..') });
		const ran = PLAYED.flatMap((id) => {
			const { contestants, curve } = areas[id]!;
			const ours = Object.entries(contestants).filter(([, { peer }]) => peer === undefined);
			return (curve === undefined ? ours : ours.slice(0, 1)).map(([name]) => `${id}: ${name} ran`);
		});
		expect(stdout.trim().split('\n')).toEqual(ran);
	});

	it('compares in each area only what it measures', () => {
		const unknown = Object.entries(areas).flatMap(([id, { baseline, contestants, targets = [], limits = [] }]) => {
			const beside = Object.values(contestants).flatMap((each) => each.beside ?? []);
			const compared = [...targets.flatMap(({ of, over }) => [of, over]), ...limits.map(({ of }) => of)];
			const beyond = limits.flatMap((limit) => limit.beyond ?? []);
			const named = [baseline, ...beside, ...compared, ...beyond];
			return named.filter((name) => !(name in contestants)).map((name) => `${id}: ${name}`);
		});
		expect(unknown).toEqual([]);
	});
});
