import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundle, folder } from './bundle';

/** Runs the benchmark of the sandbox as one bundled file, the way the sandbox is shipped. */
const file = join(folder, 'bench.cjs');
bundle('bench/sandbox/main.ts', file);
process.exitCode =
	spawnSync(process.execPath, ['--expose-gc', file, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1;
