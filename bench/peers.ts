import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { n8nFolder } from '../scripts/hosts/n8n-install';
import { npm } from '../scripts/hosts/npm';

/** Others are installed in the folder of the bench, so that nothing else can come to depend on them. */
const BENCH = join(process.cwd(), 'bench');
const requireBeside = createRequire(join(BENCH, 'package.json'));

/**
 * A package of the bench, or a host that is installed beside it and must not be bundled. Types are not there where nobody
 * measures, so each caller says what it uses.
 */
export const peer = <Module>(name: string): Module => requireBeside(name) as Module;

/** Whether a contestant can be measured here. A complete n8n is installed by the start of the demo, not by the bench. */
export const isThere = (name: string | undefined): boolean =>
	name === undefined ||
	existsSync(name === 'n8n' ? join(n8nFolder(), 'node_modules', name) : join(BENCH, 'node_modules', name));

/** Installs what is not there yet, exactly as it is locked. */
export function installPeers(): void {
	if (existsSync(join(BENCH, 'node_modules'))) return;
	const { status } = spawnSync(process.execPath, npm('ci', '--ignore-scripts', '--no-audit', '--no-fund'), {
		cwd: BENCH,
		stdio: 'inherit',
	});
	if (status !== 0)
		throw new Error('The peers could not be installed into bench/node_modules. Run npm ci in bench/ to see why.');
}
