import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area';
import type { Measured } from '../rounds';
import type { Results } from './results';
import { cellsOf, feltIn, HEADINGS, rowsOf, verdictsOf, type Row } from './row';

/** Blocks of the longest bar. */
const BAR_LENGTH_MAX = 12;

const GUIDE = `## How to read it

- Every contestant runs in a fresh process, and all of them once in each round. So a slow moment of the machine happens to all.
- A **ratio** says how many times as fast as the contestant under *beside*, round by round: the median, with the lowest and highest round in brackets. Ratios whose ranges overlap are not told apart.
- Absolute numbers move with the machine, up to threefold between runs. Only ratios of one run mean something.
- *Per second* is per second of processor time of the contestant's own process, unless the area says otherwise. The server is another process.
- *Latency* is of one thing, on the clock: of half of them, and of 99 in 100.
- Everything is on the loopback device: no TLS, no distance. On a real connection a call takes tens of milliseconds, and these differences decide how much of a machine is left for other things.
- Peers do not all do the same. *Note* says what one leaves out or does besides.
`;

/** Writes benchmarks.md into a folder, from one run of all areas. */
export function writePage(areas: Readonly<Record<string, Area>>, results: Results, folder: string): void {
	const measured = Object.entries(areas).flatMap(([id, area]) => {
		const part = results.areas[id];
		return part ? [{ area, ...part }] : [];
	});
	const missing = Object.keys(areas).filter((id) => !results.areas[id]);
	const page = [
		`# Benchmarks\n`,
		`\`npm run bench\` wrote this page in ${results.minutes} minutes: ours beside what others would pick, in ${results.rounds} rounds of each area. ${results.machine}. Commit ${results.commit}, ${results.at} UTC.\n`,
		`## What you feel\n`,
		table(
			['', 'on the clock', 'processor time', 'measured in'],
			measured.flatMap(({ area, samples }) => feltIn(area, samples)),
		),
		GUIDE,
		...(missing.length > 0 ? [`Not measured in this run: ${missing.join(', ')}.\n`] : []),
		...measured.map(section),
	];
	writeFileSync(join(folder, 'benchmarks.md'), page.join('\n'));
}

interface Part extends Measured {
	area: Area;
	size: number;
}

function section({ area, size, samples, failed }: Part): string {
	const rows = rowsOf(area, samples);
	const verdicts = verdictsOf(area, samples).map(({ text, met }) => `- ${met ? 'Met' : '🔴 **Falls short**'}: ${text}`);
	const missing = Object.entries(failed).map(
		([name, why]) => `- Not measured: ${area.contestants[name]!.title}: ${why}`,
	);
	return [
		`## ${area.title}\n`,
		`${area.about}\n`,
		table(HEADINGS.toSpliced(1, 0, ''), rows.map(barred(rows))),
		...(verdicts.length + missing.length > 0 ? [...verdicts, ...missing, ''] : []),
		`${size.toLocaleString('en')} ${area.unit}, ${area.judged === 'cpu' ? 'processor time' : 'time on the clock'}.\n`,
	].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const table = (headings: readonly string[], rows: readonly string[][]): string =>
	[line(headings), line(headings.map(() => '---')), ...rows.map(line), ''].join('\n');

/** The cells of a row, with a bar as long as its ratio behind the name. */
function barred(rows: readonly Row[]): (row: Row) => string[] {
	const longest = Math.max(...rows.map(({ ratio }) => ratio.median));
	return (row) => {
		const bar = '█'.repeat(Math.round((row.ratio.median / longest) * BAR_LENGTH_MAX));
		return cellsOf(row).toSpliced(1, 0, bar || '▏');
	};
}
