import { spawnSync } from 'node:child_process';
import { bundle } from './bundle';
import { installPeers } from './peers';

/** Measures ours beside what others would pick: `npm run bench`, or some areas of it: `npm run bench -- stream rest`. */
installPeers();
bundle('packages/sandbox/src/cli.ts', 'sandbox');
const program = bundle('bench/main.ts', 'bench');
process.exitCode =
	spawnSync(process.execPath, ['--expose-gc', program, 'compare', ...process.argv.slice(2)], { stdio: 'inherit' })
		.status ?? 1;
