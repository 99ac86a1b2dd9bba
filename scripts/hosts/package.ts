/** Our packages on their way into a host: packed as they would be published, unpacked as the host does it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACK_TIMEOUT_MS = 300_000;

export interface Manifest {
	name: string;
	version: string;
	dependencies?: Record<string, string>;
	[field: string]: unknown;
}

/** A host that a debugger may attach to. */
export interface Debug {
	port: number;
	/** Where the package was built that the host has installed. */
	folder: string;
}

/** The page of the n8n package on npm. Its folder is the repository's, whose README is about more than n8n. */
const PACKAGE_PAGE = join('docs', 'n8n-package.md');

/** Packs a folder and answers the tarball's path. */
export async function pack(folder: string, into: string): Promise<string> {
	await mkdir(into, { recursive: true });
	if (!existsSync(join(folder, PACKAGE_PAGE))) return await packAs(folder, into);
	const staged = await mkdtemp(join(tmpdir(), 'staged-'));
	try {
		const { files = [] } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest & {
			files?: string[];
		};
		for (const name of ['package.json', 'LICENSE', 'CHANGELOG.md', ...files.filter((name) => !name.startsWith('!'))])
			await cp(join(folder, name), join(staged, name), { recursive: true });
		await cp(join(folder, PACKAGE_PAGE), join(staged, 'README.md'));
		return await packAs(staged, into);
	} finally {
		await rm(staged, { recursive: true, force: true });
	}
}

async function packAs(folder: string, into: string): Promise<string> {
	const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', into];
	const { stdout } = await run('npm', args, { cwd: folder, timeout: PACK_TIMEOUT_MS });
	return join(into, stdout.trim().split('\n').at(-1)!);
}

/** Unpacks a tarball into `node_modules` of a folder and enters it among the folder's dependencies. */
export async function unpack(tarball: string, folder: string): Promise<Manifest> {
	const read = await run('tar', ['-xzOf', tarball, 'package/package.json']);
	const { name } = JSON.parse(read.stdout) as Manifest;
	const target = join(folder, 'node_modules', name);
	await rm(target, { recursive: true, force: true });
	await mkdir(target, { recursive: true });
	await run('tar', ['-xzf', resolve(tarball), '-C', target, '--strip-components=1']);
	const manifest = await installable(target);
	await enter(folder, manifest);
	return manifest;
}

/** What a host installs: the package without its development, peer and optional dependencies. */
async function installable(target: string): Promise<Manifest> {
	const file = join(target, 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
	for (const field of ['devDependencies', 'peerDependencies', 'optionalDependencies']) delete manifest[field];
	await writeFile(file, JSON.stringify(manifest, null, '\t'));
	if (Object.keys(manifest.dependencies ?? {}).length > 0) {
		const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--omit=dev'];
		await run('npm', args, { cwd: target, timeout: PACK_TIMEOUT_MS });
	}
	return manifest;
}

async function enter(folder: string, { name, version }: Manifest): Promise<void> {
	const file = join(folder, 'package.json');
	const empty = JSON.stringify({ name: 'installed-nodes', private: true, dependencies: {} });
	const ledger = JSON.parse(await readFile(file, 'utf8').catch(() => empty)) as Manifest;
	ledger.dependencies = { ...ledger.dependencies, [name]: version };
	await writeFile(file, JSON.stringify(ledger, null, '\t'));
}

/** Lets a debugger find the sources of an installed package: its maps are not published, and name files beside themselves. */
export async function addSourceMaps(folder: string, installed: string): Promise<void> {
	const files = await readdir(join(folder, 'dist'), { recursive: true });
	for (const file of files.filter((name) => name.endsWith('.map'))) {
		const built = join(folder, 'dist', file);
		const map = JSON.parse(await readFile(built, 'utf8')) as { sources: string[] };
		const sources = map.sources.map((source) => resolve(dirname(built), source));
		await writeFile(join(installed, 'dist', file), JSON.stringify({ ...map, sources }));
	}
}
