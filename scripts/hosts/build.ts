/** Builds what the hosts load, if it is missing or older than its sources. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm';
import { tell } from './story';

/** All inputs of the build. */
export const SOURCES = [
	...[
		'nodes',
		'credentials',
		'build',
		'icons',
		'packages/core/src',
		'packages/sandbox/src',
		'packages/sandbox/console',
	],
	...['packages/sandbox/build', 'packages/node-red/src', 'packages/node-red/build'],
] as const;
const OUTPUTS = [
	'dist/nodes/PartnerExchange/PartnerExchange.node.js',
	'packages/core/dist/index.js',
	'packages/sandbox/dist/cli.js',
	'packages/sandbox/dist/console/console.js',
	'packages/node-red/dist/partner-exchange.js',
];

/** Whether everything the hosts load is newer than its sources. */
export function isBuilt(root: string): boolean {
	const built = OUTPUTS.map((file) => join(root, file)).map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0));
	return Math.min(...built) >= Math.max(...SOURCES.map((folder) => newest(join(root, folder))));
}

export async function buildIfNeeded(root: string): Promise<void> {
	if (isBuilt(root)) return;
	tell('Building (about half a minute).');
	const child = spawn(process.execPath, npm('run', '--silent', 'build'), { cwd: root, stdio: 'inherit' });
	const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
	if (code !== 0) throw new Error('The build failed; its message is above. Fix it and start again.');
}

function newest(folder: string): number {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
	return Math.max(0, ...files.map((file) => statSync(file).mtimeMs));
}
