import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages } from '../scripts/docs';

describe('generated pages', () => {
	it.each(Object.keys(pages))('docs/%s is what npm run docs writes', (name) => {
		expect(readFileSync(join(__dirname, '../docs', name), 'utf8')).toBe(pages[name]!());
	});
});

describe('the promises of SECURITY.md', () => {
	const root = join(__dirname, '..');
	const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
	const files = text.match(/test\/[\w/-]+\.test\.ts/g) ?? [];

	it('name a test each', () => {
		const [, promised] = /## What is promised([^]*?)\n## /.exec(text)!;
		const promises = promised!.split(/\n(?=- \*\*)/).slice(1);
		expect(promises.length).toBeGreaterThan(10);
		expect(promises.filter((promise) => !/`test\/[\w/-]+\.test\.ts`/.test(promise))).toEqual([]);
	});

	it('name tests that exist', () => {
		expect(files.length).toBeGreaterThan(10);
		expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
	});
});
