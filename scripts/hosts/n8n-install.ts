/** A complete n8n in the cache folder, installed on first use. Marked complete last, so that a half install is never used. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { versionOf } from './versions';

export const N8N_VERSION = versionOf('n8n');

const INSTALL_TIMEOUT_MS = 60 * 60_000;
const FETCHES_MAX = 2;
const PROGRESS_EVERY_MS = 15_000;
const DISK_FREE = '3 GB';

// Later releases of linkedom replace the parts it reads CSS with; this one is known to do what n8n asks of it. n8n 1 takes
// xlsx from an address of its own, where the registry has the same.
const MANIFEST = {
	private: true,
	overrides: { linkedom: '0.18.12', xlsx: '0.18.5' },
	dependencies: { n8n: N8N_VERSION },
};

export interface InstalledN8n {
	folder: string;
	/** The program to start with Node. */
	program: string;
}

export function n8nFolder(): string {
	const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
	return join(cache, 'partner-exchange', `n8n-${N8N_VERSION}`);
}

/** Answers the cached n8n, installing it first if it is not there or not whole. */
export async function installN8n(say: (line: string) => void, folder = n8nFolder()): Promise<InstalledN8n> {
	const installed = { folder, program: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
	if (await isWhole(folder)) return installed;
	if (existsSync(join(folder, 'node_modules'))) say(`The n8n in ${folder} is not whole; it is installed anew.`);
	say(`Installing n8n ${N8N_VERSION} into ${folder}: once, about five minutes and ${DISK_FREE}.`);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'package.json'), JSON.stringify(MANIFEST, null, '\t'));
	// One of n8n's dependencies compiles a Kafka client against system headers that few machines have, and n8n does
	// without it: so no scripts run, and the two modules n8n does need are built by name.
	await fetchAll(folder, say);
	await npm(folder, ['rebuild', 'sqlite3', 'isolated-vm'], say, 'Building its two native modules');
	if (!(await loads(folder)))
		throw new Error(`n8n was installed into ${folder}, but its database module does not load.`);
	await writeFile(markerOf(folder), `${N8N_VERSION}\n`);
	return installed;
}

/** Of two thousand downloads one may break off; what has arrived is in npm's cache and is not fetched again. */
async function fetchAll(folder: string, say: (line: string) => void): Promise<void> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await npm(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund'], say, 'Fetching n8n');
		} catch (error) {
			if (attempt === FETCHES_MAX) throw error;
			say(`Fetching n8n again, because it failed: ${(error as Error).message}`);
		}
	}
}

const markerOf = (folder: string): string => join(folder, '.complete');

/** The marker decides; a folder without one (filled by hand) is looked at closely, and marked when it is good. */
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

async function npm(folder: string, args: string[], say: (line: string) => void, step: string): Promise<void> {
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

/** Node headers of the machine, if it has any: what is built against them needs no download, and Node-API fits every Node. */
function headersFolder(): string | undefined {
	return ['/usr', '/usr/local'].find((prefix) => existsSync(join(prefix, 'include', 'node', 'node_api.h')));
}

async function finished(folder: string, args: string[]): Promise<void> {
	// Native modules must fit the Node that runs n8n, so npm and its build scripts run under that one.
	const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
	const wishes = { npm_config_nodedir: headersFolder(), npm_config_fetch_retries: '5' };
	const env = { ...wishes, ...process.env, PATH, npm_config_loglevel: 'error' };
	const child = spawn('npm', args, {
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
