/** A package of npm in the cache folder of this machine, installed on first use. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from './npm';

const INSTALL_TIMEOUT_MS = 30 * 60_000;

/** The folder of a version of a package, with what it depends on beside it. */
export async function cachedPackage(name: string, version: string): Promise<string> {
	const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
	const folder = join(cache, 'partner-exchange', `${name.split('/').at(-1)}-${version}`);
	const installed = join(folder, 'node_modules', name);
	if (!existsSync(installed)) await install(`${name}@${version}`, folder);
	return installed;
}

/** Installs beside the target and renames at the end, because several test files may install it at the same time. */
async function install(named: string, folder: string): Promise<void> {
	await mkdir(dirname(folder), { recursive: true });
	const own = await mkdtemp(`${folder}-`);
	await writeFile(join(own, 'package.json'), JSON.stringify({ private: true }));
	const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', named];
	await promisify(execFile)(process.execPath, npm(...args), { cwd: own, timeout: INSTALL_TIMEOUT_MS });
	await rename(own, folder).catch(async (error: NodeJS.ErrnoException) => {
		await rm(own, { recursive: true, force: true });
		if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
	});
}
