/** What the compose examples do to install the nodes, done without containers by the commands in their files. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { pack } from '../../scripts/hosts/package';

const root = join(__dirname, '../..');
const folder = join(root, 'examples/compose');

/** The volume of each host is where it keeps its own files; n8n looks for packages in `nodes` of it. */
const hosts = [
	['n8n', '.', '/home/node/.n8n', 'nodes/node_modules/n8n-nodes-partner-exchange'],
	['node-red', 'packages/node-red', '/data', 'node_modules/@partner-exchange/node-red'],
] as const;

describe.each(hosts)('the compose example of %s', (host, source, home, place) => {
	const compose = readFileSync(join(folder, host, 'compose.yaml'), 'utf8');
	const [, name, target] = /command: \['([\w-]+)', '\/host([\w/]*)'\]/.exec(compose)!;
	let temporary: string;
	beforeAll(async () => void (temporary = await mkdtemp(join(tmpdir(), 'compose-'))));
	afterAll(async () => await rm(temporary, { recursive: true, force: true }));

	it('installs the nodes where the host finds them, before the host starts', async () => {
		const [packed, volume] = [await mkdtemp(join(temporary, 'packed-')), await mkdtemp(join(temporary, 'volume-'))];
		const tarball = await pack(join(root, source), temporary);
		await copyFile(tarball, join(packed, basename(tarball)));
		const env = { ...process.env, PACKED: packed };
		await promisify(execFile)('sh', [join(folder, 'install.sh'), name!, join(volume, target!)], { env });
		const manifest = JSON.parse(readFileSync(join(volume, place, 'package.json'), 'utf8')) as Record<string, unknown>;
		const { nodes } = (manifest['n8n'] ?? manifest['node-red']) as { nodes: Record<string, string> };
		expect(Object.values(nodes).length).toBeGreaterThan(0);
		expect(Object.values(nodes).filter((file) => !existsSync(join(volume, place, file)))).toEqual([]);
		expect(compose).toContain(`- ${host}:/host\n`);
		expect(compose).toContain(`- ${host}:${home}\n`);
		expect(compose).toMatch(/nodes:\n +condition: service_completed_successfully/);
	});
});
