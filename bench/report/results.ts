import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Samples } from '../rounds';

const FILE = join(process.cwd(), 'bench', 'results.json');

/** What one run of an area measured, and where. */
export interface Measured {
	at: string;
	commit: string;
	machine: string;
	rounds: number;
	size: number;
	samples: Samples;
}

/** By area, so that one can be measured anew without the others. */
export type Results = Record<string, Measured>;

export const readResults = (): Results => {
	try {
		return JSON.parse(readFileSync(FILE, 'utf8')) as Results;
	} catch {
		// Nothing was measured yet.
		return {};
	}
};

/** Four digits say more than a busy machine knows. */
const rounded = (_: string, value: unknown): unknown =>
	typeof value === 'number' ? Number(value.toPrecision(4)) : value;

export function writeResults(results: Results): void {
	const parts = Object.entries(results).map(
		([id, { samples, ...where }]) =>
			`\t${JSON.stringify(id)}: { ${JSON.stringify(where).slice(1, -1)}, "samples": {\n${Object.entries(samples)
				.map(([name, taken]) => `\t\t${JSON.stringify(name)}: ${JSON.stringify(taken, rounded)}`)
				.join(',\n')}\n\t} }`,
	);
	writeFileSync(FILE, `{\n${parts.join(',\n')}\n}\n`);
}
