import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { palette } from '../../packages/node-red/src/palette';
import { paletteTitles, titleOf } from '../../packages/node-red/build/words';

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

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
