/** Builds what the hosts load, when it is missing or older than its source. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tell } from './story';

const SOURCES = ['nodes', 'credentials', 'packages/core/src', 'packages/sandbox/src', 'packages/node-red/src'];
const OUTPUTS = [
	'dist/nodes/PartnerExchange/PartnerExchange.node.js',
	'packages/core/dist/index.js',
	'packages/sandbox/dist/cli.js',
	'packages/node-red/dist/partner-exchange.js',
];

export async function buildIfNeeded(root: string): Promise<void> {
	const built = OUTPUTS.map((file) => join(root, file)).map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0));
	if (Math.min(...built) >= Math.max(...SOURCES.map((folder) => newest(join(root, folder))))) return;
	tell('Building (a few seconds).');
	const child = spawn('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
	const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
	if (code !== 0) throw new Error('The build failed; its message stands above. Fix it and start again.');
}

function newest(folder: string): number {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
	return Math.max(0, ...files.map((file) => statSync(file).mtimeMs));
}
