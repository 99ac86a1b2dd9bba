import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The program bundled into one file, so that repeated starts do not compile it again. */
export function bundle(entry: string, outfile: string): string {
	const esbuild = join(ROOT, 'node_modules', '.bin', 'esbuild');
	const aliases = [
		`--alias:@partner-exchange/core/catalogue=${join(ROOT, 'packages/core/src/catalogue/index.ts')}`,
		`--alias:@partner-exchange/sandbox=${join(ROOT, 'packages/sandbox/src/index.ts')}`,
	];
	execFileSync(esbuild, [
		join(ROOT, entry),
		'--bundle',
		'--platform=node',
		'--log-level=error',
		`--outfile=${outfile}`,
		...aliases,
	]);
	return outfile;
}

export const run = (program: string, argv: string[] = [], env: Record<string, string> = {}): ChildProcess =>
	spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });

/** The output of a process so far, and its exit code once it has ended. */
export function watch(child: ChildProcess): { output(): string; ended: Promise<number | null> } {
	let output = '';
	for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
	return { output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}
