import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from './support/folder';
import { tarballOf } from './support/tarball';

const run = promisify(execFile);
const root = join(__dirname, '..');
/** A change that raises it states the reason in docs/performance.md. The readable build that `npm run dev` leaves is larger. */
const TARBALL_BYTES_MAX = 186_000;

interface Manifest {
	dependencies: object;
	peerDependencies: object;
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

describe('the n8n package', () => {
	let folder: string;
	let tarball: string;
	let files: string[];
	let manifest: Manifest;

	beforeAll(async () => {
		folder = newFolder();
		tarball = await tarballOf(root);
		await mkdir(join(folder, 'unpacked'));
		await run('tar', ['-xzf', tarball, '-C', join(folder, 'unpacked'), '--strip-components=1']);
		files = (await run('tar', ['-tzf', tarball])).stdout
			.trim()
			.split('\n')
			.map((file) => file.replace('package/', ''));
		manifest = JSON.parse(await readFile(join(folder, 'unpacked', 'package.json'), 'utf8')) as Manifest;
	});

	it('holds its nodes, credential, icons and codex files, and nothing of the repository', () => {
		expect(files).toEqual(
			expect.arrayContaining(['LICENSE', 'README.md', ...manifest.n8n.nodes, ...manifest.n8n.credentials]),
		);
		expect(files).toEqual(expect.arrayContaining(manifest.n8n.nodes.map((file) => file.replace(/\.js$/, '.json'))));
		const strangers = files.filter(
			(file) => !file.startsWith('dist/') && !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(file),
		);
		expect(strangers).toEqual([]);
		expect(files.filter((file) => /\.(test\.|ts$|map$|tgz$|env$)/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
	});

	it('depends on nothing but the n8n that hosts it', () => {
		expect(manifest.dependencies).toEqual({});
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		// npm would otherwise download another copy of it, beside the one n8n brings.
		expect(manifest.peerDependenciesMeta).toEqual({ 'n8n-workflow': { optional: true } });
		expect(manifest).not.toHaveProperty('overrides');
		expect(manifest).not.toHaveProperty('bundledDependencies');
		expect(manifest).not.toHaveProperty('optionalDependencies');
	});

	it('says nothing about the repository it is built in, scripts included', () => {
		for (const field of ['workspaces', 'scripts', 'devDependencies', 'allowScripts'])
			expect(manifest).not.toHaveProperty(field);
	});

	it('the n8n package is a small download', async () => {
		expect((await stat(tarball)).size).toBeLessThan(TARBALL_BYTES_MAX);
	});

	it('loads beside n8n-workflow alone; its nodes find their icons, and use the credential it brings', async () => {
		const modules = join(folder, 'unpacked', 'node_modules');
		await mkdir(modules);
		await symlink(join(root, 'node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'));
		const load = `for (const file of process.argv.slice(1)) {
			const made = new (Object.values(require(file))[0])();
			const { name, icon, credentials = [] } = made.description ?? made;
			console.log(JSON.stringify({ name, icons: Object.values(icon), uses: credentials.map((each) => each.name) }));
		}`;
		const classes = [...manifest.n8n.credentials, ...manifest.n8n.nodes];
		const programs = classes.map((file) => `./${file}`);
		const { stdout } = await run(process.execPath, ['-e', load, ...programs], { cwd: join(folder, 'unpacked') });
		const made = stdout
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as { name: string; icons: string[]; uses: string[] });
		expect(made.map(({ name, uses }) => [name, ...uses])).toEqual([
			['partnerExchangeApi'],
			['partnerExchange', 'partnerExchangeApi'],
			['partnerExchangeTrigger', 'partnerExchangeApi'],
			['partnerExchangeAlertTrigger', 'partnerExchangeApi'],
		]);
		const icons = made.flatMap(({ icons }, index) =>
			icons.map((icon) => join(classes[index]!, '..', icon.replace('file:', ''))),
		);
		expect(icons).toHaveLength(8);
		expect(files).toEqual(expect.arrayContaining(icons));
	});

	it("passes n8n's own scanner, as source and as published, and the rules of its strict mode", async () => {
		// With Jest's NODE_ENV the rules behave as in their own unit tests.
		const options = { cwd: root, env: { ...process.env, NODE_ENV: 'production' } };
		const scanned = run(process.execPath, ['--import', 'tsx', 'scripts/scan.ts'], options);
		const { stdout } = await scanned.catch((error: { stdout: string }) => error);
		expect(stdout.trim().split(/\s*\n\s*/)).toEqual(['SOURCE PASS', 'DIST PASS', 'STRICT PASS']);
	});
});
