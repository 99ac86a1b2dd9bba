/** What the compose example of Node-RED does, done without containers by what its file names, until a fill is seen. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { startNodeRed, type NodeRedHost } from '../../scripts/hosts/node-red';
import { freePort } from '../../scripts/hosts/ports';
import { compose, type Composed } from '../support/compose';
import { until } from '../support/condition';

const source = join(__dirname, '../../packages/node-red');

describe('the compose example of Node-RED', () => {
	let temporary: string;
	let sandbox: Sandbox;
	let composed: Composed;
	let host: NodeRedHost | undefined;
	beforeAll(async () => {
		temporary = newFolder();
		sandbox = await startSandbox({ seed: 7, marketMaker: true });
		composed = await compose('node-red', source, sandbox, temporary);
		await composed.run('nodes');
	});
	afterAll(async () => {
		await host?.child.stop();
		await sandbox?.close();
	});

	it('installs the nodes where Node-RED finds them, before it starts', () => {
		const { volume, service } = composed;
		const place = join(volume, 'node_modules/@partner-exchange/node-red');
		const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Record<string, unknown>;
		const { nodes } = manifest['node-red'] as { nodes: Record<string, string> };
		expect(Object.values(nodes).length).toBeGreaterThan(0);
		expect(Object.values(nodes).filter((file) => !existsSync(join(place, file)))).toEqual([]);
		expect(service('nodes')).toContain('- node-red:/host\n');
		expect(service('node-red')).toContain('- node-red:/data\n');
		expect(service('node-red')).toMatch(/nodes:\n +condition: service_completed_successfully/);
	});

	it('buys once and names the fill, and buys no more at the next start', async () => {
		const boot = async () => await startNodeRed({ userDir: composed.volume, port: await freePort() });
		host = await boot();
		const filled = /filled: buy 10(\.00)? USD\/NGN at \d+/;
		const said = () => host!.child.log();
		await until(() => filled.test(said()), { what: 'the fill', seen: () => said().slice(-1_500) });
		await host.child.stop();
		const asked = sandbox.requests.length;
		host = await boot();
		const looksUp = () => sandbox.requests.slice(asked).some(({ path }) => path.includes('/orders'));
		await until(looksUp, { what: 'the order to be looked up' });
		const placed = sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'));
		expect(placed).toHaveLength(1);
	});

	it('leaves a flow that is there already as it is', async () => {
		const own = join(composed.volume, 'flows.json');
		await writeFile(own, '[]');
		await composed.run('nodes');
		expect(readFileSync(own, 'utf8')).toBe('[]');
	});
});
