import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '@partner-exchange/sandbox';
import { paletteTitles, titleOf } from '../../packages/node-red/build/words';

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('the README', () => {
	it('shows a script that places an order and reads it', async () => {
		const script = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
		const sandbox = await startSandbox({ marketMaker: true });
		// Inside the checkout, so that packages resolve as they do in a user's script.
		const folder = mkdtempSync(join(root, 'node_modules/.readme-'));
		try {
			const file = join(folder, 'script.mts');
			writeFileSync(file, script.replaceAll('127.0.0.1:4010', new URL(sandbox.baseUrl).host));
			const args = [join(root, 'node_modules/tsx/dist/cli.mjs'), '--tsconfig', join(root, 'tsconfig.json'), file];
			const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
			expect(stdout).toMatch(/quantity: '10(\.00)?'/);
			expect(stdout).toMatch(/status: '(pending|accepted|partially_filled|filled)'/);
		} finally {
			rmSync(folder, { recursive: true });
			await sandbox.close();
		}
	});

	it('names in its first five minutes what the palette and the demo show', () => {
		const steps = /## Five minutes to your first fill\n([\s\S]*?)\n## /.exec(readme)![1]!;
		const demo = JSON.parse(readFileSync(join(root, 'examples/node-red/demo.json'), 'utf8')) as { name?: string }[];
		expect(steps).toContain(`**${titleOf('create-order')}**`);
		expect(steps).toContain(`**${paletteTitles['events']}**`);
		const named = ['Sandbox', 'be quiet', 'go on', 'Terminal'];
		for (const name of named) expect(steps).toContain(`_${name}_`);
		expect(demo.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
	});

	it('names only scripts that exist', () => {
		const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
		const named = [...readme.matchAll(/npm run ([\w:]+)|npm (start|test)\b/g)].map(([, run, bare]) => run ?? bare);
		expect(named).toContain('start:n8n');
		expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
	});
});
