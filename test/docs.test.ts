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
	const files = readFileSync(join(root, 'SECURITY.md'), 'utf8').match(/test\/[\w/-]+\.test\.ts/g) ?? [];

	it('name tests that exist', () => {
		expect(files.length).toBeGreaterThan(10);
		expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
	});
});
