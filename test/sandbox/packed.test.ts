import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import { tarballOf } from '../support/tarball';
import { watch } from './program';

/** Core and sandbox as packed, in a folder with only their dependencies. */

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const packages = ['core', 'sandbox'] as const;
let folder: string;

interface Manifest {
	dependencies: Record<string, string>;
	[field: string]: unknown;
}

const installed = (name: string) => join(folder, 'node_modules', '@partner-exchange', name);
const manifestOf = async (name: string) =>
	JSON.parse(await readFile(join(installed(name), 'package.json'), 'utf8')) as Manifest;

beforeAll(async () => {
	folder = newFolder();
	for (const name of packages) {
		await mkdir(installed(name), { recursive: true });
		const tarball = await tarballOf(join(root, 'packages', name));
		await run('tar', ['-xzf', tarball, '-C', installed(name), '--strip-components=1']);
	}
	const wanted = (await Promise.all(packages.map(manifestOf))).flatMap(({ dependencies }) => Object.keys(dependencies));
	for (const name of new Set(wanted.filter((each) => !each.startsWith('@partner-exchange/'))))
		await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
});

it.each(packages)('packs into %s what a stranger needs, and nothing else', async (name) => {
	const files = await readdir(installed(name));
	expect(files.sort()).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist', 'package.json']));
	expect(
		files.filter((file) => !/^(LICENSE|README\.md|NOTICE.*|THIRD.*|CHANGELOG\.md|dist|package\.json)$/i.test(file)),
	).toEqual([]);
	expect(await manifestOf(name)).toMatchObject({
		license: 'MIT',
		keywords: expect.arrayContaining(['exchange']),
		repository: { directory: `packages/${name}` },
	});
});

it('starts from the packed command, answers its health, serves its page and stops', async () => {
	const cli = join(installed('sandbox'), 'dist', 'cli.js');
	const child = spawn(process.execPath, [cli, '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
	const seen = watch(child);
	const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(seen.output())?.[0], {
		what: 'the address',
		seen: () => seen.output(),
	});
	expect(await (await fetch(`${url}/_sandbox/health`)).json()).toMatchObject({ status: 'ok' });
	expect(await (await fetch(url)).text()).toContain('Sandbox exchange');
	child.kill('SIGTERM');
	expect(await seen.ended).toBe(0);
});

it('type-checks the packed packages without skipLibCheck', async () => {
	const entries = 'core core/adapters core/catalogue core/node core/testing sandbox sandbox/testing'.split(' ');
	const lines = entries.map((entry, index) => `export * as part${index} from '@partner-exchange/${entry}';`);
	await writeFile(join(folder, 'uses.ts'), lines.join('\n'));
	const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
	const how = '--noEmit --strict --skipLibCheck false --target es2023 --module node16 --moduleResolution node16'.split(
		' ',
	);
	const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
	const { stdout } = await run(process.execPath, [tsc, ...how, ...types, 'uses.ts'], { cwd: folder }).catch(
		(error: { stdout: string }) => error,
	);
	expect(stdout).toBe('');
});
