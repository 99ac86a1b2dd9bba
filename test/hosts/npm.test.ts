import { globSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { newFolder } from '../support/folder';
import { npmScript } from '../../scripts/hosts/npm';

const root = join(__dirname, '../..');

describe('npm, as the scripts run it', () => {
	let folder: string;
	beforeEach(() => void (folder = newFolder()));

	async function scriptIn(...parts: string[]): Promise<string> {
		await mkdir(join(folder, ...parts), { recursive: true });
		const script = join(folder, ...parts, 'npm-cli.js');
		await writeFile(script, '');
		return script;
	}

	it('is found where Windows has it: in a folder beside a batch file that cannot be started', async () => {
		const script = await scriptIn('node', 'node_modules', 'npm', 'bin');
		await writeFile(join(folder, 'node', 'npm'), '#!/bin/sh');
		await writeFile(join(folder, 'node', 'npm.cmd'), '');
		const PATH = [join(folder, 'elsewhere'), join(folder, 'node')].join(delimiter);
		expect(npmScript({ PATH })).toBe(script);
	});

	it('is found behind the link of other systems, or as what started this', async () => {
		const script = await scriptIn('lib');
		await mkdir(join(folder, 'bin'));
		await symlink(script, join(folder, 'bin', 'npm'));
		expect(npmScript({ PATH: join(folder, 'bin') })).toBe(script);
		expect(npmScript({ PATH: '', npm_execpath: script })).toBe(script);
	});

	it('is asked for in one sentence where it is missing', () => {
		expect(() => npmScript({ PATH: folder, npm_execpath: '/yarn.js' })).toThrow(
			/no npm in PATH\. Install Node with npm/,
		);
	});

	it('is started by no script by its bare name', () => {
		const files = globSync(['scripts/**/*.ts', 'bench/**/*.ts', 'build/**/*.{ts,mjs}', 'gulpfile.js'], { cwd: root });
		const bare = /\b(?:spawn|execFile|run|spawnSync|execFileSync|promisify\(execFile\))\(\s*'(?:npm|npx)'/;
		expect(files.length).toBeGreaterThan(50);
		expect(
			files.filter((file) => !file.includes('node_modules') && bare.test(readFileSync(join(root, file), 'utf8'))),
		).toEqual([]);
	});
});
