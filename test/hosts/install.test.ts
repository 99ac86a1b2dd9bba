import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { startRegistry, type Registry } from '../support/registry';
import { tarballOf } from '../support/tarball';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
/** What a package may add to its host. */
const N8N_BYTES_MAX = 1_000_000;
const NODE_RED_BYTES_MAX = 2_000_000;

/** A `docker` whose container is this machine: it copies, runs the command given, and restarts nothing. */
const docker = `#!/bin/sh
case "$1" in
cp) cp "$2" "\${3#*:}" ;;
exec) while [ "$1" != sh ]; do shift; done; exec "$@" ;;
esac
`;

/** The shell lines of the installing guide under a heading, one text per block. */
async function blocksOf(heading: string): Promise<string[]> {
	const guide = await readFile(join(root, 'docs', 'guides', 'installing.md'), 'utf8');
	const [, section = ''] = guide.split(`\n## ${heading}\n`);
	return [...section.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines!);
}

const blockWith = async (heading: string, words: string): Promise<string> => {
	const matches = (await blocksOf(heading)).filter((lines) => lines.includes(words));
	expect(matches).toHaveLength(1);
	return matches[0]!;
};

async function bytesIn(folder: string): Promise<number> {
	const files = await readdir(folder, { recursive: true, withFileTypes: true });
	const sizes = files
		.filter((file) => file.isFile())
		.map(async (file) => (await stat(join(file.parentPath, file.name))).size);
	return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const packages = [
	{
		heading: 'n8n',
		folder: root,
		name: 'n8n-nodes-partner-exchange',
		into: '.n8n/nodes',
		bytesMax: N8N_BYTES_MAX,
	},
	{
		heading: 'Node-RED',
		folder: join(root, 'packages', 'node-red'),
		name: 'partner-exchange-node-red',
		into: '.node-red',
		bytesMax: NODE_RED_BYTES_MAX,
	},
];

describe('the lines of the installing guide', () => {
	let home: string;
	let registry: Registry | undefined;

	/** Runs lines of the guide in an empty home folder, with a registry at the address. */
	async function follow(lines: string, registryUrl: string): Promise<void> {
		const env = {
			PATH: [join(home, 'bin'), process.env['PATH']].join(delimiter),
			...{ HOME: home, npm_config_registry: registryUrl, npm_config_cache: join(home, '.npm') },
			// npm looks for a newer npm beside its work and does not wait for it.
			npm_config_update_notifier: 'false',
		};
		await run('sh', ['-e', '-c', lines], { cwd: home, env });
	}

	beforeEach(async () => {
		home = await mkdtemp(join(tmpdir(), 'home-'));
		await mkdir(join(home, 'bin'));
		await writeFile(join(home, 'bin', 'docker'), docker);
		await chmod(join(home, 'bin', 'docker'), 0o755);
		await mkdir(join(home, '.node-red'));
	});
	afterEach(async () => {
		registry?.close();
		registry = undefined;
		await rm(home, { recursive: true, force: true });
	});

	it.each(packages)(
		'the guide installs the $heading package from its file in an empty folder and asks no registry for anything',
		async ({ heading, folder, name, into, bytesMax }) => {
			await copyFile(await tarballOf(folder), join(home, `${name}-${version}.tgz`));
			registry = await startRegistry([]);
			await follow(await blockWith(heading, `~/${name}`), registry.url);
			expect(registry.requests).toEqual([]);
			expect(await bytesIn(join(home, into))).toBeLessThan(bytesMax);
			expect((await readdir(join(home, into, 'node_modules'))).filter((name) => !name.startsWith('.'))).toHaveLength(1);
		},
	);

	it('the guide installs the n8n package from its file in a container and asks no registry for anything', async () => {
		const [{ name, into }] = packages as [(typeof packages)[0]];
		await copyFile(await tarballOf(root), join(home, `${name}-${version}.tgz`));
		const lines = (await blockWith('n8n', 'docker cp')).replaceAll('/tmp/', `${home}/tmp/`);
		await mkdir(join(home, 'tmp'));
		registry = await startRegistry([]);
		await follow(lines, registry.url);
		expect(registry.requests).toEqual([]);
		expect(await readdir(join(home, into, 'node_modules', 'n8n-nodes-partner-exchange'))).toContain('dist');
	});

	it('the guide installs the n8n package from a registry in a container and downloads nothing else', async () => {
		registry = await startRegistry([await tarballOf(root)]);
		await follow(await blockWith('n8n', 'npm install n8n-nodes-partner-exchange'), registry.url);
		expect(registry.downloads).toEqual(['n8n-nodes-partner-exchange']);
		expect(await bytesIn(join(home, '.n8n', 'nodes'))).toBeLessThan(N8N_BYTES_MAX);
	});

	it('the guide installs the Node-RED package from a registry and downloads nothing else', async () => {
		registry = await startRegistry([await tarballOf(join(root, 'packages', 'node-red'))]);
		await follow(await blockWith('Node-RED', 'npm install @partner-exchange/node-red\n'), registry.url);
		expect(registry.downloads).toEqual(['@partner-exchange/node-red']);
		expect(await bytesIn(join(home, '.node-red'))).toBeLessThan(NODE_RED_BYTES_MAX);
	});
});
