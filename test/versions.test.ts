import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { supported } from '../scripts/hosts/versions';
import { missingFrom, type Lock } from '../scripts/lock';

const root = join(__dirname, '..');

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const manifest = (file: string) =>
	JSON.parse(read(file)) as {
		devDependencies: Record<string, string>;
		scripts: Record<string, string>;
		engines: { node: string };
		'node-red': { version: string };
	};

const cells = (host: string): string[] =>
	read('docs/guides/installing.md')
		.split('\n')
		.map((line) => line.split('|').map((cell) => cell.trim()))
		.find(([, name]) => name === host)!;

describe('the versions the guide promises', () => {
	it.each([
		['n8n', supported.n8n],
		['Node-RED', supported.nodeRed],
	])("the guide's versions of %s are those the tests run", (host, versions) => {
		expect(cells(host)[2]).toBe(versions.join(', '));
	});

	it("the guide's versions are installed or have a command each", () => {
		const { devDependencies, scripts } = manifest('package.json');
		expect(devDependencies['node-red']).toBe(supported.nodeRed[0]);
		expect(devDependencies['n8n-core']).toBe(supported.n8n[0]);
		for (const version of [...supported.n8n.slice(1), ...supported.nodeRed.slice(1)]) {
			const [[name] = [], ...more] = Object.entries(scripts).filter(([, script]) => script.includes(version));
			expect(more).toEqual([]);
			expect(read('docs/guides/installing.md')).toContain(`npm run ${name}`);
		}
	});

	it("the guide's versions are those the Node-RED package asks for", () => {
		const { engines, 'node-red': host } = manifest('packages/node-red/package.json');
		const oldest = supported.nodeRed.at(-1)!.split('.')[0];
		expect(host.version).toBe(`>=${oldest}.0.0`);
		expect(`${engines.node.replace('>=', '')} to 24`).toBe(cells('Node-RED')[3]);
	});

	it("the guide's versions are those the page of the n8n package names", () => {
		expect(read('docs/n8n-package.md')).toContain(`Tested with n8n ${supported.n8n.join(' and ')}.`);
	});

	it("the guide's versions of Node.js are those the workflow runs, from the oldest to the newest", () => {
		const [, oldest, newest] = /^([\d.]+) to (\d+)$/.exec(cells('Node-RED')[3]!)!;
		const run = [...read('.github/workflows/ci.yml').matchAll(/version: [\d.]+, node: (\d+(?:\.\d+)?)/g)];
		const ran = run.map(([, version]) => version);
		expect(ran).toEqual(expect.arrayContaining([oldest, newest]));
	});
});

describe('package-lock.json', () => {
	const root = join(__dirname, '..');

	const read = <Content>(file: string): Content => JSON.parse(readFileSync(join(root, file), 'utf8')) as Content;

	it('package-lock.json enters the optional packages of every platform, without which npm ci refuses it', () => {
		expect(missingFrom(read<Lock>('package-lock.json'))).toEqual([]);
	});

	it('notices an optional package that is left out of package-lock.json', () => {
		const packages = {
			'': {},
			'node_modules/a': { optionalDependencies: { 'a-linux-x64': '1.0.0', 'a-darwin-x64': '1.0.0' } },
		};
		const lock = { packages: { ...packages, 'node_modules/a-linux-x64': { version: '1.0.0' } } };
		expect(missingFrom(lock)).toEqual([{ name: 'a-darwin-x64', version: '1.0.0' }]);
	});

	it('names exact versions in package.json, so that a new release changes nothing by itself', () => {
		const { devDependencies } = read<{ devDependencies: Record<string, string> }>('package.json');
		expect(Object.values(devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
	});
});
