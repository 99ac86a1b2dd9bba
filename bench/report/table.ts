import type { Area } from '../area';
import type { Results } from './results';
import { cellsOf, HEADINGS, rowsOf, verdictsOf } from './row';

/** One area as text. */
export function printTable(area: Area, { size, samples, failed }: Results['areas'][string], rounds: number): void {
	const rows = rowsOf(area, samples);
	const cells = [HEADINGS, ...rows.map(cellsOf)];
	const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
	const by = area.judged === 'cpu' ? 'per second of processor time' : 'per second on the clock';
	const lines = [
		`\n${area.title}: ${size} ${area.unit}, ${by}, median of ${rounds} interleaved rounds`,
		...cells.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column]!))
				.join('  ')
				.trimEnd(),
		),
		...Object.entries(failed).map(([name, why]) => `FAILED  ${area.contestants[name]!.title}: ${why}`),
		...verdictsOf(area, samples).map(({ text, met }) => `${met ? 'met        ' : 'FALLS SHORT'} ${text}`),
	];
	process.stdout.write(`${lines.join('\n')}\n`);
}
