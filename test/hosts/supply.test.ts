import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../support/folder';
import { keepsBack, shipped, weaknessesIn } from '../../scripts/audit';
import { tarballOf } from '../support/tarball';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const json = <Content>(file: string): Content => JSON.parse(read(file)) as Content;

interface Manifest {
	name: string;
	version: string;
	license: string;
	scripts?: Record<string, string>;
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
	allowScripts?: Record<string, boolean>;
}
interface Sbom {
	components: {
		name: string;
		version: string;
		purl: string;
		licenses: [{ license: { id: string } }];
		hashes: unknown[];
	}[];
}
interface Lock {
	packages: Record<
		string,
		{
			version?: string;
			integrity?: string;
			hasInstallScript?: true;
			link?: true;
			inBundle?: true;
			optional?: true;
			resolved?: string;
			dependencies?: Record<string, string>;
		}
	>;
}

const packages = {
	'.': 'n8n',
	'packages/node-red': 'Node-RED',
	'packages/core': 'core',
	'packages/sandbox': 'sandbox',
};
const bundles: [string, string][] = [
	['.', 'dist/nodes/bundle.js'],
	['packages/node-red', 'packages/node-red/dist/partner-exchange.js'],
];
/** Licences that only require their text to be included. */
const ALLOWED = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'];

/** The packages whose code a bundle contains, by its source map rather than by the bundler's report. */
function namesIn(bundle: string): string[] {
	const { sources } = json<{ sources: string[] }>(`${bundle}.map`);
	const files = sources.map((source) => relative(root, resolve(root, bundle, '..', source)));
	const names = files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? []);
	return [...new Set(names)].sort();
}

describe.each(bundles)('what the package in %s holds of others', (folder, bundle) => {
	const dist = join(folder, 'dist');
	const { components } = json<Sbom>(join(dist, 'sbom.cdx.json'));

	it('a package lists every package in it for machines, with version and checksum', () => {
		expect(namesIn(bundle).length).toBeGreaterThan(0);
		expect(components.map(({ name }) => name)).toEqual(namesIn(bundle));
		for (const { name, version, purl, hashes } of components) {
			expect(json<Manifest>(`node_modules/${name}/package.json`).version).toBe(version);
			expect(purl).toBe(`pkg:npm/${name}@${version}`);
			expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) }]);
		}
	});

	it('a package names no host it could speak to but this machine', () => {
		const hosts = [...read(bundle).matchAll(/["'`](?:https?|wss?):\/\/([\w.-]+)/g)].map(([, host]) => host!);
		const local = ['127.0.0.1', 'localhost'];
		// Files that a person reads in a form or opens in a browser.
		const rows = ['api.example.com', 'docs.n8n.io', 'github.com', 'developer.mozilla.org', 'stackoverflow.com'];
		expect([...new Set(hosts)].filter((host) => ![...local, ...rows].includes(host))).toEqual([]);
	});

	it('a package listens on no port: it makes no server', () => {
		expect(read(bundle)).not.toMatch(/createServer|\.listen\(/);
	});

	it('a package carries the licence of every package in it, each of which allows this', () => {
		const notices = read(join(dist, 'THIRD-PARTY-NOTICES.txt'));
		for (const { name, version, licenses } of components) {
			expect(ALLOWED).toContain(licenses[0].license.id);
			const [, text = ''] = notices.split(`${'-'.repeat(80)}\n${name} ${version} (`);
			expect(text.split('-'.repeat(80))[0]).toMatch(/copyright[^]*(permission|redistribution|licensed)/i);
		}
	});
});

describe('every package', () => {
	it.each(Object.keys(packages))(
		'the package in %s carries our licence, and runs nothing when it is installed',
		async (folder) => {
			const { stdout } = await run('tar', ['-tzf', await tarballOf(join(root, folder))]);
			expect(stdout.split('\n')).toContain('package/LICENSE');
			expect(read(join(folder, 'LICENSE'))).toBe(read('LICENSE'));
			const { scripts = {}, license } = json<Manifest>(join(folder, 'package.json'));
			expect(license).toBe('MIT');
			expect(
				Object.keys(scripts).filter((name) =>
					/^((pre|post)?(install|prepare|publish|prepublishOnly)|(pre|post)pack)$/.test(name),
				),
			).toEqual([]);
		},
	);

	it.each(Object.keys(packages))('the package in %s names no source map that is not in it', async (folder) => {
		const into = newFolder();
		await run('tar', ['-xzf', await tarballOf(join(root, folder)), '-C', into]);
		const files = readdirSync(into, { recursive: true, encoding: 'utf8' });
		const missing = files
			.filter((name) => /\.[cm]?js$/.test(name))
			.flatMap((file) => {
				const maps = readFileSync(join(into, file), 'utf8').matchAll(/^\/\/# sourceMappingURL=(?!data:)(\S+)$/gm);
				return [...maps].map(([, map]) => join(file, '..', map!)).filter((map) => !files.includes(map));
			});
		expect(files).toContain('package/package.json');
		expect(missing).toEqual([]);
	});

	it.each(bundles)('the package in %s needs nothing at run time but what is in it', (folder) => {
		expect(json<Manifest>(join(folder, 'package.json')).dependencies ?? {}).toEqual({});
		expect(existsSync(join(root, folder, 'node_modules'))).toBe(folder === '.');
	});
});

describe('what is installed to build it', () => {
	const { packages: locked } = json<Lock>('package-lock.json');
	const fetched = Object.entries(locked).filter(
		([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle,
	);

	it('every package of the build is locked to a checksum, and comes from the registry alone', () => {
		const unsure = fetched.filter(([, { integrity, optional }]) => !optional && !integrity?.startsWith('sha512-'));
		expect(unsure.map(([path]) => path)).toEqual([]);
		const strange = fetched.filter(
			([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
		);
		expect(strange.map(([path]) => path)).toEqual([]);
	});

	it('every shipped package has a checksum, optional or not', () => {
		const names = new Set(shipped());
		const all = fetched.map(([path, entry]) => ({ path, name: path.split('node_modules/').at(-1)!, ...entry }));
		// What is shipped needs others, which come with it.
		for (const name of names)
			for (const { dependencies = {} } of all.filter((entry) => entry.name === name))
				for (const needed of Object.keys(dependencies)) names.add(needed);
		expect([...names]).toEqual(
			expect.arrayContaining(['axios', 'follow-redirects', 'lightweight-charts', 'fancy-canvas']),
		);
		const unsure = all.filter(({ name, integrity }) => names.has(name) && !integrity?.startsWith('sha512-'));
		expect(unsure.map(({ path }) => path)).toEqual([]);
	});

	it('installs without the scripts of others, and then runs those that were looked at, in every workflow', () => {
		const { allowScripts = {}, scripts = {} } = json<Manifest>('package.json');
		const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
		const trusted = [...new Set(allowed.map((name) => name.replace(/(?<=.)@.*$/, '')))].sort();
		expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
		expect(scripts['setup']).toBe('npm ci --no-audit --no-fund && npm run --silent setup:scripts');
		expect(scripts['setup:scripts']).toBe(`npm rebuild --ignore-scripts=false ${trusted.join(' ')}`);
		const workflows = readdirSync(join(root, '.github/workflows')).map((name) => join('.github/workflows', name));
		for (const file of [...workflows, '.ci/run', '.devcontainer/devcontainer.json', 'packages/sandbox/Dockerfile']) {
			const installs = readFileSync(join(root, file), 'utf8').match(/npm ci.*/g) ?? [];
			expect({ file, open: installs.filter((line) => !line.includes('--ignore-scripts')) }).toEqual({ file, open: [] });
		}
	});

	it('the build runs only install scripts that were looked at, by version, and none that fetches what is not locked', () => {
		const { allowScripts = {} } = json<Manifest>('package.json');
		for (const [path, { version, hasInstallScript }] of fetched) {
			if (!hasInstallScript) continue;
			const name = path.split('node_modules/').at(-1)!;
			const allowed = allowScripts[`${name}@${version}`] ?? allowScripts[name];
			expect({ name, version, decided: allowed !== undefined }).toEqual({ name, version, decided: true });
			const scripts = existsSync(join(root, path)) ? (json<Manifest>(join(path, 'package.json')).scripts ?? {}) : {};
			const atInstall = [scripts.preinstall, scripts.install, scripts.postinstall].join(' ');
			expect({ name, fetches: allowed && /\b(npx|npm exec|pnpx|curl|wget)\b/.test(atInstall) }).toEqual({
				name,
				fetches: false,
			});
		}
	});
});

describe('a report of weaknesses', () => {
	const weakness = (severity: string) => ({ severity, via: [{ title: 'Leaks' }, 'other'] });

	it('a weakness holds a release back in what is shipped, and not in tools', () => {
		const report = JSON.stringify({
			vulnerabilities: { 'big.js': weakness('high'), jest: weakness('critical'), ws: weakness('low') },
		});
		const weaknesses = weaknessesIn(report)!;
		expect(weaknesses[0]).toEqual({ name: 'big.js', severity: 'high', titles: ['Leaks'] });
		expect(shipped()).toEqual(expect.arrayContaining(['axios', 'big.js', 'ws']));
		expect(weaknesses.filter((each) => keepsBack(each, shipped())).map(({ name }) => name)).toEqual(['big.js']);
	});

	it.each(['', 'null', '[]', '{"statusCode":405}', '<html>'])(
		'there is no report of weaknesses where the registry answered %j',
		(report) => {
			expect(weaknessesIn(report)).toBeUndefined();
		},
	);
});
