import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages } from '../scripts/docs';

describe('generated pages', () => {
	it.each(Object.keys(pages))('docs/%s is what npm run docs writes', (name) => {
		expect(readFileSync(join(__dirname, '../docs', name), 'utf8')).toBe(pages[name]!());
	});
});
