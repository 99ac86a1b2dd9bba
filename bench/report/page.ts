import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area';
import { bars, curve } from './plot';
import type { Measured, Results } from './results';
import { HEADINGS, rowsOf, verdictsOf } from './row';

const DOCS = join(process.cwd(), 'docs');
const PLOTS = join('images', 'benchmarks');
/** What a person wrote about an area, such as why a target is out of reach, stands here under the name of the area. */
const NOTES = join(process.cwd(), 'bench', 'notes');

const HEAD = `# Benchmarks

\`npm run bench\` wrote this page: ours beside what others would pick, on one machine, in one run of each area.

How to read it:

- Every contestant runs in a fresh process, and all of them once in each round, so that what the machine does at a time happens to all.
- A **ratio** says how many times as fast as what stands under *beside*, round by round: the median, and the lowest and highest round in brackets. Ratios whose ranges overlap are not told apart.
- Absolute numbers move with the machine, up to threefold between runs. Only ratios of one run mean something.
- *Per second* is per second of processor time of the contestant's own process, unless the area says otherwise. The server is another process.
- Everything is on the loopback device: no TLS, no distance. On a real connection a call takes tens of milliseconds, and these differences decide how much of a machine is left for other things.
- Peers do not all do the same. What one leaves out or does besides stands under *note*.

`;

/** Writes docs/benchmarks.md and its plots from everything that was measured so far. */
export function writePage(areas: Readonly<Record<string, Area>>, results: Results): void {
	mkdirSync(join(DOCS, PLOTS), { recursive: true });
	const sections = Object.entries(areas)
		.filter(([id]) => results[id])
		.map(([id, area]) => section(id, area, results[id]!));
	writeFileSync(join(DOCS, 'benchmarks.md'), `${HEAD}${sections.join('\n')}`);
}

function section(id: string, area: Area, measured: Measured): string {
	const { samples, size, rounds, at, commit, machine } = measured;
	const rows = rowsOf(area, samples);
	const plot = area.curve === undefined ? bars(area.title, rows) : curve(area, samples);
	writeFileSync(join(DOCS, PLOTS, `${id}.svg`), plot);
	const cells = rows.map(({ title, speed, cpu, memory, shownRatio, beside, note }) => [
		title,
		...[speed, cpu, memory, shownRatio, beside, note],
	]);
	const verdicts = verdictsOf(area, samples).map(({ text, met }) => `- ${met ? 'Met' : '**Not met**'}: ${text}`);
	return [
		`## ${area.title}\n`,
		`${area.about}\n`,
		`![${area.title}](${PLOTS}/${id}.svg)\n`,
		line(HEADINGS),
		line(HEADINGS.map(() => '---')),
		...cells.map(line),
		'',
		...(verdicts.length > 0 ? [...verdicts, ''] : []),
		`${size.toLocaleString('en')} ${area.unit}, ${rounds} rounds, ${area.judged === 'cpu' ? 'processor time' : 'time on the clock'}. ${machine}. Commit ${commit}, ${at} UTC.\n`,
		...notesOn(id),
	].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function notesOn(id: string): string[] {
	const file = join(NOTES, `${id}.md`);
	return existsSync(file) ? [readFileSync(file, 'utf8')] : [];
}
