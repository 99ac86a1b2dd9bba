import type { Area } from '../area';
import type { Samples } from '../rounds';
import { cellsOf, HEADINGS, rowsOf, verdictsOf } from './row';

/** One area as text. */
export function printTable(area: Area, samples: Samples, { rounds, size }: { rounds: number; size: number }): void {
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
		...verdictsOf(area, samples).map(({ text, met }) => `${met ? 'met    ' : 'NOT MET'} ${text}`),
	];
	process.stdout.write(`${lines.join('\n')}\n`);
}
