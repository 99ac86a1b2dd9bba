/** Packs the present release, plays it in the core and both hosts, and keeps what it stored: `npm run stored`. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from './hosts/package';

const root = join(__dirname, '..');
/** Inside the repository, so that what the core needs is found. */
const folder = join(root, 'node_modules', '.cache', 'stored');
const packages = { core: 'packages/core', 'node-red': 'packages/node-red', n8n: '.' };

async function main(): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	for (const [name, source] of Object.entries(packages)) {
		mkdirSync(join(folder, name), { recursive: true });
		copyFileSync(await pack(join(root, source), folder), join(folder, `${name}.tgz`));
		run('tar', '-xzf', join(folder, `${name}.tgz`), '-C', join(folder, name), '--strip-components=1');
	}
	process.env['STORED_BY'] = folder;
	const jest = join(root, 'node_modules/jest/bin/jest.js');
	run(process.execPath, jest, '--ci', '-t', 'earlier release', '--', 'stored-release', 'n8n/one-trigger');
}

function run(command: string, ...args: string[]): void {
	const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
	if (status !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed; its message is above.`);
}

main().catch((error: unknown) => {
	process.exitCode = 1;
	console.error(error instanceof Error ? error.message : String(error));
});
