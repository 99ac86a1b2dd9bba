import { spawnSync } from 'node:child_process';
import { bundle } from './bundle';

/** Runs the measurement of many subscribers on one account as one bundled file, with room to force collections. */
const args = ['--expose-gc', bundle('bench/scale/main.ts', 'scale'), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
