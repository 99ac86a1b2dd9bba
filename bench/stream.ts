import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundle, folder } from './bundle';

/** Runs the benchmark of the stream as one bundled file, which also plays the server and the clients. */
const file = join(folder, 'bench.cjs');
bundle('bench/stream/main.ts', file);
process.exitCode = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1;
