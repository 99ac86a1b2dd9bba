import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { newFolder } from '../support/folder';
import { installN8n, N8N_VERSION } from '../../scripts/hosts/n8n-install';

/**
 * A fake npm that records its arguments and creates empty modules that can be loaded: the native ones only where it may
 * run their scripts. The npm that started the tests forbids that in the environment, by our `.npmrc`.
 */
const npm = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('asked.txt', process.argv.slice(2).join(' ') + '\\n');
if (existsSync('../broken')) {
	console.error('no such registry');
	process.exit(1);
}
const runsScripts = process.argv.includes('--ignore-scripts=false') || process.env.npm_config_ignore_scripts !== 'true';
const modules =
	process.argv[2] === 'install'
		? { 'n8n/package.json': '{ "version": "${N8N_VERSION}" }' }
		: runsScripts && { 'sqlite3/index.js': 'exports.Database = class {};', 'isolated-vm/index.js': '' };
for (const [file, text] of Object.entries(modules)) {
	mkdirSync('node_modules/' + file.split('/')[0], { recursive: true });
	writeFileSync('node_modules/' + file, text);
}
`;

describe('installN8n', () => {
	const { PATH: path, npm_config_ignore_scripts: ignored } = process.env;
	const said: string[] = [];
	let place: string;
	let folder: string;

	const requests = async (): Promise<string[]> =>
		(await readFile(join(folder, 'asked.txt'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

	beforeEach(async () => {
		said.length = 0;
		place = newFolder();
		folder = join(place, 'n8n');
		await mkdir(join(place, 'bin', 'node_modules', 'npm', 'bin'), { recursive: true });
		await writeFile(join(place, 'bin', 'node_modules', 'npm', 'bin', 'npm-cli.js'), npm);
		process.env['PATH'] = [join(place, 'bin'), path].join(delimiter);
		process.env['npm_config_ignore_scripts'] = 'true';
	});
	afterEach(async () => {
		process.env['PATH'] = path;
		if (ignored === undefined) delete process.env['npm_config_ignore_scripts'];
		else process.env['npm_config_ignore_scripts'] = ignored;
	});

	it('installN8n runs no install scripts, builds the two native modules, and installs nothing the second time', async () => {
		const first = await installN8n((line) => said.push(line), folder);
		expect(first.program).toBe(join(folder, 'node_modules', 'n8n', 'bin', 'n8n'));
		const commands = [
			'install --ignore-scripts --no-audit --no-fund',
			'rebuild --ignore-scripts=false sqlite3 isolated-vm',
		];
		expect(await requests()).toEqual(commands);
		expect(said[0]).toContain(folder);
		await installN8n((line) => said.push(line), folder);
		expect(await requests()).toEqual(commands);
	});

	it('installN8n uses no half install: it says so and installs again', async () => {
		await mkdir(join(folder, 'node_modules', 'n8n'), { recursive: true });
		await writeFile(join(folder, 'node_modules', 'n8n', 'package.json'), JSON.stringify({ version: N8N_VERSION }));
		await installN8n((line) => said.push(line), folder);
		expect(said[0]).toContain('is not whole');
		expect(await requests()).toHaveLength(2);
	});

	it('installN8n accepts a whole install that was made by hand', async () => {
		await installN8n(() => undefined, folder);
		await rm(join(folder, '.complete'));
		await rm(join(folder, 'asked.txt'));
		await installN8n((line) => said.push(line), folder);
		expect([said, await requests()]).toEqual([[], []]);
	});

	it('installN8n names the command that failed and what it said, and leaves no mark of success', async () => {
		await writeFile(join(place, 'broken'), '');
		await expect(installN8n((line) => said.push(line), folder)).rejects.toThrow(
			/npm install .* failed[\s\S]*no such registry/,
		);
		await rm(join(place, 'broken'));
		await installN8n((line) => said.push(line), folder);
		expect(await requests()).toHaveLength(2);
	});
});
