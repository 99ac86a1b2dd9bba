import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { supported } from '../scripts/hosts/versions';

const root = join(__dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const manifest = (file: string) =>
	JSON.parse(read(file)) as {
		devDependencies: Record<string, string>;
		scripts: Record<string, string>;
		engines: { node: string };
		'node-red': { version: string };
	};
const cells = (host: string, page = 'docs/guides/installing.md'): string[] =>
	read(page)
		.split('\n')
		.map((line) => line.split('|').map((cell) => cell.trim()))
		.find(([, name]) => name === host)!;

describe('the versions the guide promises', () => {
	it.each([
		['n8n', supported.n8n],
		['Node-RED', supported.nodeRed],
	])('of %s are those the tests run', (host, versions) => {
		expect(cells(host)[2]).toBe(versions.join(', '));
	});

	it.each([
		['n8n', supported.n8n],
		['Node-RED', supported.nodeRed],
	])('of %s are no more in the README, which says them short', (host, versions) => {
		const said = cells(host, 'README.md')[2]!.split(', ');
		expect(versions.map((version, at) => version.startsWith(`${said[at] ?? 'missing'}.`))).toEqual(
			versions.map(() => true),
		);
		expect(said).toHaveLength(versions.length);
	});

	it('are installed or have a command each', () => {
		const { devDependencies, scripts } = manifest('package.json');
		expect(devDependencies['node-red']).toBe(supported.nodeRed[0]);
		expect(devDependencies['n8n-core']).toBe(supported.n8n[0]);
		for (const version of [...supported.n8n.slice(1), ...supported.nodeRed.slice(1)])
			expect(Object.values(scripts).filter((script) => script.includes(version))).toHaveLength(1);
	});

	it('are those the Node-RED package asks for', () => {
		const { engines, 'node-red': host } = manifest('packages/node-red/package.json');
		const oldest = supported.nodeRed.at(-1)!.split('.')[0];
		expect(host.version).toBe(`>=${oldest}.0.0`);
		expect(`${engines.node.replace('>=', '')} to 24`).toBe(cells('Node-RED')[3]);
	});
});
