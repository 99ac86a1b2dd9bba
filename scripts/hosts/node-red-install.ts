/** The Node-RED to start: the one of the development dependencies, or another version in the cache folder. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from './npm';
import { supported, versionOf } from './versions';

const INSTALL_TIMEOUT_MS = 30 * 60_000;

export async function nodeRedProgram(): Promise<string> {
	const version = versionOf('nodeRed');
	if (version === supported.nodeRed[0]) return join(dirname(require.resolve('node-red/package.json')), 'red.js');
	const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
	const folder = join(cache, 'partner-exchange', `node-red-${version}`);
	const program = join(folder, 'node_modules', 'node-red', 'red.js');
	if (!existsSync(program)) await install(version, folder);
	return program;
}

/** Installs beside the target and renames at the end, because several test files may install it at the same time. */
async function install(version: string, folder: string): Promise<void> {
	await mkdir(dirname(folder), { recursive: true });
	const own = await mkdtemp(`${folder}-`);
	await writeFile(join(own, 'package.json'), JSON.stringify({ private: true }));
	const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `node-red@${version}`];
	await promisify(execFile)(process.execPath, npm(...args), { cwd: own, timeout: INSTALL_TIMEOUT_MS });
	await rename(own, folder).catch(async (error: NodeJS.ErrnoException) => {
		await rm(own, { recursive: true, force: true });
		if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
	});
}
