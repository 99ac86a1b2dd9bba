/** Installs this project's packages into a host: packed as for publication, unpacked as the host would. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { npm } from './npm';

const run = promisify(execFile);
const PACK_TIMEOUT_MS = 300_000;

export interface Manifest {
	name: string;
	version: string;
	dependencies?: Record<string, string>;
	[field: string]: unknown;
}

/** A host to which a debugger may attach. */
export interface Debug {
	port: number;
	/** The folder in which the installed package was built. */
	folder: string;
}

/** The npm page of the n8n package. Its folder is the root of the repository, whose README covers more than n8n. */
const PACKAGE_PAGE = join('docs', 'n8n-package.md');

/** What the manifest of the root says about the repository, and nobody who installs the package needs. */
const OF_THE_REPOSITORY = ['workspaces', 'scripts', 'devDependencies', 'allowScripts'];

/** Packs a folder and returns the path of the tarball. */
export async function pack(folder: string, into: string): Promise<string> {
	await mkdir(into, { recursive: true });
	if (!existsSync(join(folder, PACKAGE_PAGE))) return await packAs(folder, into);
	const staged = await mkdtemp(join(tmpdir(), 'staged-'));
	try {
		const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest & {
			files?: string[];
		};
		const parts = (manifest.files ?? []).filter((name) => !name.startsWith('!'));
		for (const name of ['LICENSE', 'CHANGELOG.md', ...parts])
			await cp(join(folder, name), join(staged, name), { recursive: true });
		for (const field of OF_THE_REPOSITORY) delete manifest[field];
		await writeFile(join(staged, 'package.json'), JSON.stringify(manifest, null, '\t'));
		await cp(join(folder, PACKAGE_PAGE), join(staged, 'README.md'));
		return await packAs(staged, into);
	} finally {
		await rm(staged, { recursive: true, force: true });
	}
}

async function packAs(folder: string, into: string): Promise<string> {
	const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', into];
	const { stdout } = await run(process.execPath, npm(...args), { cwd: folder, timeout: PACK_TIMEOUT_MS });
	return join(into, stdout.trim().split('\n').at(-1)!);
}

/** Unpacks a tarball into `node_modules` of a folder and adds it to the folder's dependencies. */
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

/** The manifest a host installs: without development, peer and optional dependencies. */
async function installable(target: string): Promise<Manifest> {
	const file = join(target, 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
	for (const field of ['devDependencies', 'peerDependencies', 'optionalDependencies']) delete manifest[field];
	await writeFile(file, JSON.stringify(manifest, null, '\t'));
	if (Object.keys(manifest.dependencies ?? {}).length > 0) {
		const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--omit=dev'];
		await run(process.execPath, npm(...args), { cwd: target, timeout: PACK_TIMEOUT_MS });
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

/** Adds source maps to an installed package, because they are not published, with absolute paths to their sources. */
export async function addSourceMaps(folder: string, installed: string): Promise<void> {
	const files = await readdir(join(folder, 'dist'), { recursive: true });
	for (const file of files.filter((name) => name.endsWith('.map'))) {
		const built = join(folder, 'dist', file);
		const map = JSON.parse(await readFile(built, 'utf8')) as { sources: string[] };
		const sources = map.sources.map((source) => resolve(dirname(built), source));
		await writeFile(join(installed, 'dist', file), JSON.stringify({ ...map, sources }));
		await appendFile(
			join(installed, 'dist', file.slice(0, -'.map'.length)),
			`\n//# sourceMappingURL=${basename(file)}\n`,
		);
	}
}
