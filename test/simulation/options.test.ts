import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/folder';
import { SIMULATION_BEGINS } from './support/time';

const root = join(__dirname, '../..');
const folder = newFolder();

function run(command: string, ...args: string[]) {
	const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
	return { status, stdout, stderr };
}

/** Runs as `npm run sim -- ...` does once it has built the bundle. */
const sim = (...args: string[]) => run(process.execPath, 'node_modules/.cache/sim.cjs', ...args);

const help = run('npm', 'run', '--silent', 'sim', '--', '--help');

describe('the command that plays simulations by hand', () => {
	it('names its options and takes each it names', () => {
		const named = [...help.stdout.matchAll(/^ {2}--(\w+)( [A-Z]+)?/gm)].map(([, name, value]) => ({ name, value }));
		expect(named.map(({ name }) => name)).toEqual(
			'suite seeds events from seed plant layer weather resume trace help'.split(' '),
		);
		expect(help.status).toBe(0);
		const all = named.flatMap(({ name, value }) => (value ? [`--${name}`, '1'] : [`--${name}`]));
		expect(sim(...all)).toEqual({ status: 0, stdout: help.stdout, stderr: '' });
	});

	it('plays as many seeds as it is asked for, from the one it is told, and counts what it saw', () => {
		const { status, stdout } = sim('--suite', 'stream', '--from', '5', '--seeds', '3', '--layer', 'fair');
		expect(stdout).toMatch(/^3 seeds, [1-9]\d* events, \d+ per minute, 0 with violations\n$/);
		expect(status).toBe(0);
		expect(sim('--seeds', '3').stdout).toMatch(/^3 seeds, 0 events, /);
	});

	it('goes on where it was ended, and adds up what it counts', () => {
		const file = join(folder, 'resumed.json');
		const args = ['--suite', 'stream', '--layer', 'fair', '--resume', file];
		const whole = sim(...args.slice(0, 4), '--seeds', '6').stdout;
		sim(...args, '--seeds', '2');
		expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ first: 1, next: 3, failed: 0 });
		const counted = (text: string) => text.replace(/\d+ per minute/, '');
		expect(counted(sim(...args, '--seeds', '6').stdout)).toBe(counted(whole));
		const others = sim('--suite', 'stream', '--resume', file, '--seeds', '6');
		expect([others.status, others.stderr]).toEqual([2, `${file} is of suite stream, layer fair, from seed 1.\n`]);
	});

	it('ends once so many events were handed over', () => {
		const { stdout } = sim('--suite', 'stream', '--layer', 'fair', '--events', '200');
		const [seeds, events] = /^(\d+) seeds, (\d+) events/.exec(stdout)!.slice(1).map(Number);
		expect(events).toBeGreaterThanOrEqual(200);
		expect(seeds).toBeLessThan(20);
		expect(sim('--events', '200').stderr).toBe('Only lives of the stream count events.\n');
	});

	it('plays lives of thousands of events', () => {
		const bursts = [{ at: SIMULATION_BEGINS + 5_000, orders: 400, lastsMs: 1_000, end: 'filled at once' }];
		const { status, stdout } = sim(
			...['--suite', 'stream', '--layer', 'dense', '--seed', '2', '--weather', JSON.stringify({ bursts })],
		);
		const [events] = /(\d+) events/.exec(stdout)!.slice(1).map(Number);
		expect(events).toBeGreaterThan(10_000);
		expect(status).toBe(0);
	});

	it('says what was noticed and how to see it again', () => {
		const { status, stdout } = sim('--suite', 'stream', '--seed', '1', '--plant', 'neverResumes');
		expect(stdout).toMatch(/^seed 1: resume: trigger 0 never got /);
		expect(stdout).toContain('  npm run sim -- --suite stream --seed 1 --plant neverResumes --trace\n');
		expect(stdout).toMatch(/1 with violations\n$/);
		expect(status).toBe(1);
		expect(sim('--suite', 'stream', '--seed', '1', '--plant', 'neverResumes', '--trace').stdout).toContain('is ready');
	});

	it('changes the weather of all seeds by its name', () => {
		const weather = '{"lists":{"order":"oldest first"}}';
		const { stdout } = sim('--suite', 'stream', '--seed', '2', '--weather', weather, '--trace');
		expect(stdout).toContain('"order":"oldest first"');
	});

	it('lists plants and layers, and refuses what it does not know', () => {
		expect(sim('--suite', 'stream', '--layer', 'list').stdout.split('\n')).toContain('dense');
		expect(sim('--plant', 'list').stdout.split('\n')).toContain('failsOnTimeout');
		for (const wrong of [
			['--suite', 'fills'],
			['--plant', 'nothing'],
			['--layer', 'dense'],
			['--seeds', '1.5'],
		]) {
			const { status, stderr } = sim(...wrong);
			expect([status, stderr]).toEqual([2, expect.stringContaining(wrong.at(-1)!.replace('1.5', '--seeds'))]);
		}
	});
});
