import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = process.cwd();
/** Where one benchmark keeps its files, gone with it. */
export const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Bundled as it is shipped: a loader that compiles while it runs would be measured, too. */
export function bundle(entry: string, outfile: string): void {
	const esbuild = join(ROOT, 'node_modules', '.bin', 'esbuild');
	const alias = `--alias:@partner-exchange/core/catalogue=${join(ROOT, 'packages/core/src/catalogue/index.ts')}`;
	execFileSync(esbuild, [
		join(ROOT, entry),
		'--bundle',
		'--platform=node',
		'--log-level=error',
		`--outfile=${outfile}`,
		alias,
	]);
}
