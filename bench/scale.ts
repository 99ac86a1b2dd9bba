import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundle, folder } from './bundle';

/** Runs the measurement of many subscribers on one account as one bundled file, with room to force collections. */
const file = join(folder, 'scale.cjs');
bundle('bench/scale/main.ts', file);
const args = ['--expose-gc', file, ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
