import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '@partner-exchange/sandbox';
import { palette } from '../../packages/node-red/src/palette';
import { paletteTitles, titleOf } from '../../packages/node-red/build/words';

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

const scriptsIn = (page: string): string[] => [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, script]) => script!);

/** Runs a script as it stands on a page, but for the address, and returns what it prints. */
async function printedBy(script: string): Promise<string> {
	const sandbox = await startSandbox({ marketMaker: true });
	// Inside the checkout, so that packages resolve as they do in a user's script.
	const folder = mkdtempSync(join(root, 'node_modules/.readme-'));
	try {
		const file = join(folder, 'script.mts');
		writeFileSync(file, script.replace("'sandbox',", `'sandbox', baseUrl: '${sandbox.baseUrl}',`));
		const args = [join(root, 'node_modules/tsx/dist/cli.mjs'), '--tsconfig', join(root, 'tsconfig.json'), file];
		return (await promisify(execFile)(process.execPath, args, { timeout: 300_000 })).stdout;
	} finally {
		rmSync(folder, { recursive: true });
		await sandbox.close();
	}
}

describe('the README for Node-RED', () => {
	const page = readFileSync(join(root, 'packages/node-red/README.md'), 'utf8');
	const [, table = ''] = page.split('## The nodes\n');
	const listed = table
		.split('\n## ')[0]!
		.split('\n')
		.filter((line) => /^\| [a-z]/.test(line))
		.flatMap((line) => line.split('|')[1]!.split(','))
		.map((name) => name.trim());

	it('names every node of the palette, and counts them', () => {
		const titles = [...palette.map(({ name }) => titleOf(name)), 'events', 'alerts'];
		expect(listed.sort()).toEqual(titles.sort());
		expect(page).toContain(`${titles.length} nodes`);
	});
});

describe('the README', () => {
	it('shows a script that places an order and reads it', async () => {
		const printed = await printedBy(scriptsIn(readme)[0]!);
		expect(printed).toMatch(/quantity: '10(\.00)?'/);
		expect(printed).toMatch(/status: '(pending|accepted|partially_filled|filled)'/);
	});

	it('names in its first five minutes what the palette and the demo show', () => {
		const steps = /## Five minutes to your first fill\n([\s\S]*?)\n## /.exec(readme)![1]!;
		const demo = JSON.parse(readFileSync(join(root, 'examples/node-red/demo.json'), 'utf8')) as { name?: string }[];
		expect(steps).toContain(`**${paletteTitles['create-order']}**`);
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
