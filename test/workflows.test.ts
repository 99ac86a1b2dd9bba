/** The GitHub workflows, which do not run here: the files they name exist, and they publish the packed tarballs. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from './support/folder';
import { supported } from '../scripts/hosts/versions';

const root = join(__dirname, '..');
const run = promisify(execFile);
const textOf = (name: string): string => readFileSync(join(root, '.github', 'workflows', name), 'utf8');
const EXAMPLE = '../../examples/github/flows.yml';
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const named = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!);

describe.each(['ci.yml', 'seeds.yml', 'publish.yml', EXAMPLE])('the workflow %s', (file) => {
	it('names scripts and files that are there', () => {
		const text = textOf(file);
		const missing = [
			...named(text, /npm run (?:--silent )?([\w:-]+)/g).filter((name) => !scripts[name]),
			...named(text, /((?:scripts|test|\.ci)\/[\w./-]+)/g).filter((path) => !existsSync(join(root, path))),
		];
		expect(missing).toEqual([]);
	});

	it('takes every action at a commit, whose version is told beside it', () => {
		const uses = named(textOf(file), /uses: *(.*)/g);
		expect(uses.length).toBeGreaterThan(1);
		expect(uses.filter((action) => !/^[\w-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
	});

	it('asks Ubuntu for nothing it does not have: its image brings the browser, and has none to install', () => {
		expect(named(textOf(file), /apt-get install (.*)/g).filter((packages) => /chrom/.test(packages))).toEqual([]);
	});
});

describe('the workflow ci.yml', () => {
	it.each([
		['n8n', supported.n8n.slice(1)],
		['Node-RED', supported.nodeRed.slice(1)],
	])('runs each other version of %s', (_, versions) => {
		const text = textOf('ci.yml');
		const isRun = (version: string): boolean =>
			text.includes(version) || named(text, /npm run ([\w:-]+)/g).some((name) => scripts[name]!.includes(version));
		expect(versions.filter((version) => !isRun(version))).toEqual([]);
	});
});

describe('the workflow publish.yml', () => {
	const folder = newFolder();

	/** As in the workflow, but with an npm that knows no package and sends nothing. */
	async function publish(): Promise<string> {
		const [, script] = /- name: Publish\n +run: \|\n((?: {10}.*\n)+)/.exec(textOf('publish.yml'))!;
		const { stdout: npm } = await run('bash', ['-c', 'command -v npm']);
		const dry = `#!/bin/sh\n[ "$1" = view ] && exit 1\nexec "${npm.trim()}" "$@" --dry-run\n`;
		await mkdir(join(folder, 'bin'));
		await writeFile(join(folder, 'bin', 'npm'), dry, { mode: 0o755 });
		const env = { ...process.env, PATH: join(folder, 'bin') + delimiter + process.env['PATH']! };
		const { stdout } = await run('bash', ['-e', '-c', script!], { cwd: folder, env });
		return stdout;
	}

	it('publishes by the trust npm has in it: without a token, and to no registry of its own choice', () => {
		expect(textOf('publish.yml')).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN|registry/i);
	});

	it('lets no step that runs code of others write to the repository or vouch for a package', () => {
		const jobs = textOf('publish.yml')
			.split('\njobs:\n')[1]!
			.split(/\n(?=  \w+:\n)/);
		const trusted = jobs.filter((job) => /: write/.test(job));
		expect(trusted.map((job) => /([\w-]+): write/.exec(job)![1])).toEqual(['id-token', 'contents']);
		for (const job of trusted) {
			expect(job.match(/: write/g)).toHaveLength(1);
			expect(job).not.toMatch(/npm (ci|install|run|test)|checkout|npx|node --import/);
		}
	});

	it('hands npm the packed files, not the names of repositories', async () => {
		await mkdir(join(folder, 'probe'));
		const manifest = { name: '@probe/packed', version: '1.2.3', repository: 'https://example.com/probe' };
		await writeFile(join(folder, 'probe', 'package.json'), JSON.stringify(manifest));
		await mkdir(join(folder, 'packed'));
		await run('npm', ['pack', './probe', '--pack-destination', 'packed'], { cwd: folder });
		expect(await publish()).toContain('+ @probe/packed@1.2.3');
	});
});
