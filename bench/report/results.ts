import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from '../rounds';

/** What one run of all areas measured, and where: one commit for the whole of it. */
export interface Results {
	at: string;
	commit: string;
	machine: string;
	rounds: number;
	minutes: number;
	areas: Record<string, Measured & { size: number }>;
}

/** Four digits say more than a busy machine knows. */
const rounded = (_: string, value: unknown): unknown =>
	typeof value === 'number' ? Number(value.toPrecision(4)) : value;

export function writeResults({ areas, ...where }: Results, folder: string): void {
	const parts = Object.entries(areas).map(
		([id, { size, failed, samples }]) =>
			`\t${JSON.stringify(id)}: { "size": ${size}, "failed": ${JSON.stringify(failed)}, "samples": {\n${Object.entries(
				samples,
			)
				.map(([name, measured]) => `\t\t${JSON.stringify(name)}: ${JSON.stringify(measured, rounded)}`)
				.join(',\n')}\n\t} }`,
	);
	writeFileSync(
		join(folder, 'results.json'),
		`{ ${JSON.stringify(where).slice(1, -1)}, "areas": {\n${parts.join(',\n')}\n} }\n`,
	);
}
