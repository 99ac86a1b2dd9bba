/**
 * A complete n8n in the cache folder, installed on first use. It is marked as complete last, so that an interrupted
 * install is never used.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm, npmEnvironment } from './npm';
import { versionOf } from './versions';

export const N8N_VERSION = versionOf('n8n');

const INSTALL_TIMEOUT_MS = 60 * 60_000;
const FETCHES_MAX = 2;
const PROGRESS_EVERY_MS = 15_000;
const DISK_FREE = '3 GB';

// linkedom is pinned, because later releases replace its CSS parser; n8n works with this one. n8n 1 depends on xlsx by
// URL; the registry has the same release.
const MANIFEST = {
	private: true,
	overrides: { linkedom: '0.18.12', xlsx: '0.18.5' },
	dependencies: { n8n: N8N_VERSION },
};

export interface InstalledN8n {
	folder: string;
	/** The script to run with Node. */
	program: string;
}

export function n8nFolder(): string {
	const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
	return join(cache, 'partner-exchange', `n8n-${N8N_VERSION}`);
}

/** Returns the cached n8n; installs it first if it is missing or incomplete. */
export async function installN8n(say: (line: string) => void, folder = n8nFolder()): Promise<InstalledN8n> {
	const installed = { folder, program: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
	if (await isWhole(folder)) return installed;
	if (existsSync(join(folder, 'node_modules'))) say(`The n8n in ${folder} is not whole; it is installed again.`);
	say(`Installing n8n ${N8N_VERSION} into ${folder}: once, about five minutes and ${DISK_FREE}.`);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'package.json'), JSON.stringify(MANIFEST, null, '\t'));
	// A dependency of n8n compiles a Kafka client against system headers that few machines have, and n8n works without
	// it. So install scripts are disabled, and the two native modules n8n needs are built by name.
	await fetchAll(folder, say);
	await tellingNpm(
		folder,
		['rebuild', '--ignore-scripts=false', 'sqlite3', 'isolated-vm'],
		say,
		'Building its two native modules',
	);
	if (!(await loads(folder)))
		throw new Error(`n8n was installed into ${folder}, but its database module does not load.`);
	await writeFile(markerOf(folder), `${N8N_VERSION}\n`);
	return installed;
}

/** Retries: one of two thousand downloads may fail, and npm's cache keeps those that succeeded. */
async function fetchAll(folder: string, say: (line: string) => void): Promise<void> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await tellingNpm(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund'], say, 'Fetching n8n');
		} catch (error) {
			if (attempt === FETCHES_MAX) throw error;
			say(`Fetching n8n again, because it failed: ${(error as Error).message}`);
		}
	}
}

const markerOf = (folder: string): string => join(folder, '.complete');

/** A folder without a marker, such as one filled by hand, is checked in detail and marked if it is complete. */
async function isWhole(folder: string): Promise<boolean> {
	const manifest = await readFile(join(folder, 'node_modules', 'n8n', 'package.json'), 'utf8').catch(() => '{}');
	if ((JSON.parse(manifest) as { version?: string }).version !== N8N_VERSION) return false;
	if (existsSync(markerOf(folder))) return true;
	if (!(await loads(folder))) return false;
	await writeFile(markerOf(folder), `${N8N_VERSION}\n`);
	return true;
}

/** Whether the natively built modules load under the Node that will run n8n. */
async function loads(folder: string): Promise<boolean> {
	const probe = "new (require('sqlite3').Database)(':memory:'); require('isolated-vm')";
	const run = promisify(execFile)(process.execPath, ['-e', probe], { cwd: folder });
	return await run.then(
		() => true,
		() => false,
	);
}

async function tellingNpm(folder: string, args: string[], say: (line: string) => void, step: string): Promise<void> {
	const from = Date.now();
	const elapsed = (): string => `${Math.round((Date.now() - from) / 1000)} s`;
	const ticker = setInterval(() => say(`${step}, ${elapsed()} so far`), PROGRESS_EVERY_MS);
	try {
		await finished(folder, args);
		say(`${step}: done in ${elapsed()}`);
	} finally {
		clearInterval(ticker);
	}
}

/**
 * Node headers installed on this machine, which save a download. The modules use Node-API, so headers of any version
 * fit.
 */
function headersFolder(): string | undefined {
	return ['/usr', '/usr/local'].find((prefix) => existsSync(join(prefix, 'include', 'node', 'node_api.h')));
}

async function finished(folder: string, args: string[]): Promise<void> {
	const wishes = { npm_config_nodedir: headersFolder(), npm_config_fetch_retries: '5' };
	const env = { ...wishes, ...npmEnvironment(), npm_config_loglevel: 'error' };
	const child = spawn(process.execPath, npm(...args), {
		cwd: folder,
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: INSTALL_TIMEOUT_MS,
	});
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
	if (code === 0) return;
	throw new Error(
		`\`npm ${args.join(' ')}\` failed in ${folder}:\n${output.slice(-2000)}\nFix what it names and start again.`,
	);
}
