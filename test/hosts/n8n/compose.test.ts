/** What the compose example of n8n does, done without containers by what its file names, until a fill is seen. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { installN8n } from '../../../scripts/hosts/n8n-install';
import { compose, type Composed } from '../../support/compose';
import { usedFolder } from '../../support/n8n-setup';
import { root } from './bench';

describe('the compose example of n8n', () => {
	let temporary: string;
	let sandbox: Sandbox;
	let composed: Composed;
	let env: NodeJS.ProcessEnv;
	beforeAll(async () => {
		temporary = await mkdtemp(join(tmpdir(), 'compose-'));
		sandbox = await startSandbox({ seed: 7, marketMaker: true });
		composed = await compose('n8n', root, sandbox, temporary);
		const { folder } = await installN8n((line) => process.stderr.write(`${line}\n`));
		const path = [join(folder, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
		const { NODE_COMPILE_CACHE } = process.env;
		env = { PATH: path, N8N_DIAGNOSTICS_ENABLED: 'false', NODE_COMPILE_CACHE };
		cpSync(join(usedFolder()!, '.n8n'), composed.volume, { recursive: true });
		await composed.run('nodes');
	});
	afterAll(async () => {
		await sandbox?.close();
		await rm(temporary, { recursive: true, force: true });
	});

	it('installs the nodes where n8n finds them, before it starts', () => {
		const { volume, service } = composed;
		const place = join(volume, 'nodes/node_modules/n8n-nodes-partner-exchange');
		const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } };
		expect(manifest.n8n.nodes.length).toBeGreaterThan(0);
		expect(manifest.n8n.nodes.filter((file) => !existsSync(join(place, file)))).toEqual([]);
		expect(service('nodes')).toContain('- n8n:/host\n');
		for (const name of ['first-fill', 'n8n']) expect(service(name)).toContain('- n8n:/home/node/.n8n\n');
		expect(service('first-fill')).toMatch(/nodes:\n +condition: service_completed_successfully/);
		expect(service('n8n')).toMatch(/first-fill:\n +condition: service_completed_successfully/);
	});

	it('buys once and names the fill, and does nothing at the next start', async () => {
		expect(await composed.run('first-fill', env)).toMatch(/"seen": "filled: buy 10\.00 USD\/NGN at \d+\.\d+"/);
		const asked = sandbox.requests.length;
		expect(await composed.run('first-fill', env)).toBe('');
		expect(sandbox.requests).toHaveLength(asked);
	});
});
