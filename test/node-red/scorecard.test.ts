import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { supported } from '../../scripts/hosts/versions';
import { tarballOf } from '../support/tarball';
import type { FlowNode } from '../support/node-red';
import { packageFolder } from './flows';

/**
 * The checks of the Flow Library's scorecard, by its own numbers, on the packed tarball. The tool itself queries the
 * registry and the catalogue of all nodes, and exits with success whatever it finds.
 */
describe('the package as the Flow Library reads it', () => {
	const folder = mkdtempSync(join(tmpdir(), 'scorecard-'));
	const read = (file: string): string => readFileSync(join(folder, 'package', file), 'utf8');
	let manifest: Record<string, unknown> & {
		name: string;
		keywords: string[];
		engines: { node: string };
		'node-red': { version: string; nodes: Record<string, string> };
	};
	let types: string[];

	beforeAll(async () => {
		const tarball = await tarballOf(packageFolder);
		await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder]);
		manifest = JSON.parse(read('package.json')) as typeof manifest;
		const html = Object.values(manifest['node-red'].nodes).map((file) => read(file.replace(/\.js$/, '.html')));
		types = html.flatMap((text) =>
			[...text.matchAll(/RED\.nodes\.registerType\('([^']+)', \{/g)].map(([, type]) => type!),
		);
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('P01, P03: the package names its licence, its repository and where to report', () => {
		expect(manifest).toMatchObject({ license: 'MIT', repository: { type: 'git' }, bugs: { url: expect.any(String) } });
		expect(read('LICENSE')).toMatch(/MIT/);
	});

	it('P04: the package has a scoped name that takes nothing from Node-RED itself', () => {
		expect(manifest.name).toMatch(/^@[a-z-]+\/[a-z-]+$/);
		expect(manifest.name).not.toMatch(/^@node-red\//);
	});

	it('P05: the package carries the keyword without which the library does not list it', () => {
		expect(manifest.keywords).toContain('node-red');
		expect(manifest.keywords.length).toBeGreaterThan(3);
	});

	it('P06: the package allows every version of Node-RED that is tested', () => {
		const oldest = Number(/^>=(\d+)\.0\.0$/.exec(manifest['node-red'].version)![1]);
		for (const version of supported.nodeRed) expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(oldest);
	});

	it('P07: the package allows the oldest Node.js that the newest Node-RED runs on', () => {
		const host = JSON.parse(readFileSync(require.resolve('node-red/package.json'), 'utf8')) as typeof manifest;
		const least = ({ engines }: typeof manifest): number => Number(/(\d+)/.exec(engines.node)![1]);
		expect(least(manifest)).toBeLessThanOrEqual(least(host));
	});

	it('N01: the package registers each type once, by a literal and with our prefix', () => {
		expect(types.length).toBeGreaterThan(15);
		expect(new Set(types).size).toBe(types.length);
		for (const type of types) expect(type).toMatch(/^partner-exchange-[a-z-]+$/);
	});

	it('N02: the package shows each type in an example flow', () => {
		const examples = readdirSync(join(folder, 'package', 'examples'), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.json'))
			.map((file) => read(`examples/${file}`));
		const rows = new Set(examples.flatMap((text) => (JSON.parse(text) as FlowNode[]).map(({ type }) => type)));
		expect(types.filter((type) => !rows.has(type) && type !== 'partner-exchange-account')).toEqual([]);
	});

	it('D01, D02, D03: the package depends on nothing, so on nothing old or vulnerable', () => {
		expect(manifest.dependencies ?? {}).toEqual({});
		expect(manifest).not.toHaveProperty('bundledDependencies');
		expect(Object.keys((manifest.scripts as object | undefined) ?? {})).toEqual([]);
	});

	it('the package has a page whose pictures exist', () => {
		const images = [
			...read('README.md').matchAll(/\]\(https:\/\/raw\.githubusercontent\.com\/[^)]+\/main\/([^)]+)\)/g),
		];
		expect(images.length).toBeGreaterThan(1);
		for (const [, path] of images)
			expect(
				readFileSync(join(packageFolder, '../..', path!))
					.subarray(1, 4)
					.toString(),
			).toBe('PNG');
	});
});
