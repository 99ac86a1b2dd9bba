/** Numbers that documents state beside the name of a constant: `ROWS_MAX` (20,000), `SILENCE_MS_MAX` (45 s). */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const UNITS: Readonly<Record<string, number>> = {
	ms: 1,
	s: 1_000,
	min: 60_000,
	h: 3_600_000,
	days: 86_400_000,
	KiB: 1024,
	MiB: 1024 ** 2,
};

export interface NumberedName {
	name: string;
	stated: string;
	value: number;
}

/** The names of a page that a number follows in brackets, wherever the line breaks. */
export function numberedNames(markdown: string): NumberedName[] {
	return [...markdown.matchAll(/`(\w+)`\s\((\d[\d,.]*)(?:\s(ms|s|min|h|days|KiB|MiB))?\)/g)].map(
		([, name, digits, unit]) => ({
			name: name!,
			stated: `${digits!}${unit ? ` ${unit}` : ''}`,
			value: Number(digits!.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1),
		}),
	);
}

/** Every number the sources give a name: constants, and the entries of a policy. */
export function namedNumbers(): Map<string, Set<number>> {
	const files = globSync(['packages/*/src/**/*.ts', 'nodes/**/*.ts', 'scripts/**/*.ts', 'test/**/*.test.ts'], {
		cwd: root,
	});
	const values = new Map<string, Set<number>>();
	for (const file of files)
		for (const [, name, sum] of readFileSync(join(root, file), 'utf8').matchAll(
			/\b(\w+)(?: =|:) (\d[\d_.]*(?: \*\*? [\d_]+)*)(?=[;,\n}])/g,
		)) {
			const earlier = values.get(name!) ?? new Set();
			values.set(name!, earlier.add(evaluated(sum!)));
		}
	return values;
}

/** The value of `30 * 24 * 60` or `1024 ** 2`. */
function evaluated(sum: string): number {
	const powers = sum
		.replaceAll('_', '')
		.split(' * ')
		.map((factor) => factor.split(' ** ').map(Number));
	return powers.reduce((product, [base, exponent = 1]) => product * base! ** exponent, 1);
}
