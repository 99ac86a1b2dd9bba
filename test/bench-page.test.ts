import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './support/folder';
import type { Area, Contestant } from '../bench/area';
import { writePage } from '../bench/report/page';

describe('the page of the bench', () => {
	const folder = newFolder();

	it('marks in red what falls short of what is wanted, and only that', () => {
		const named = (title: string): Contestant => ({ title, run: () => Promise.reject(new Error('it is not run')) });
		const taking = (cpuMs: number) => [{ items: 100, cpuMs, ms: cpuMs, megabytes: 1 }];
		const area: Area = {
			...{ title: 'Events', about: 'Some.', unit: 'events', judged: 'cpu', size: 100, smoke: 1, baseline: 'bare' },
			contestants: { bare: named('bare'), quick: named('the quick one'), slow: named('the slow one') },
			targets: [
				{ of: 'quick', over: 'bare', atLeast: 0.5 },
				{ of: 'slow', over: 'bare', atLeast: 0.5 },
			],
			limits: [{ of: 'slow', ms: 0.2 }],
		};
		const samples = { bare: taking(10), quick: taking(20), slow: taking(40) };
		const where = { at: '2026-01-05 09:00', commit: 'none', machine: 'none', rounds: 1, minutes: 1 };
		writePage({ events: area }, { ...where, areas: { events: { size: 100, samples, failed: {} } } }, folder);
		const verdicts = readFileSync(join(folder, 'benchmarks.md'), 'utf8').match(/^- .*, at (?:least|most) .*$/gm);
		expect(verdicts).toEqual([
			'- Met: the quick one over bare: 0.50x [0.50-0.50], at least 0.5x',
			'- 🔴 **Falls short**: the slow one over bare: 0.25x [0.25-0.25], at least 0.5x',
			'- 🔴 **Falls short**: the slow one: 0.40 ms [0.40-0.40], at most 0.2 ms',
		]);
	});
});
