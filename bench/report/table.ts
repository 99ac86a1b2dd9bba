import type { Area } from '../area';
import type { Measured } from './results';
import { HEADINGS, rowsOf, verdictsOf } from './row';

/** One area as text. */
export function printTable(area: Area, { at, commit, machine, rounds, size, samples }: Measured): void {
	const rows = rowsOf(area, samples);
	const cells = [
		HEADINGS,
		...rows.map(({ title, speed, cpu, memory, shownRatio, beside, note }) => [
			title,
			speed,
			cpu,
			memory,
			shownRatio,
			beside,
			note,
		]),
	];
	const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
	const by = area.judged === 'cpu' ? 'per second of processor time' : 'per second on the clock';
	const lines = [
		`\n${area.title}: ${size} ${area.unit}, ${by}, median of ${rounds} interleaved rounds`,
		`${machine}; ${commit}, ${at} UTC`,
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
