import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mechanisms, rowOf } from './mechanisms';
import { plants } from './plants';

const [, page = ''] = readFileSync(join(__dirname, '../../mutation/scores.md'), 'utf8').split(
	/^## Planted in the simulated (?:stream|lock)$/m,
);
const rows = page.split('\n').filter((line) => /^\| .*\| `\w+`\s+\|/.test(line));

/** Compares rows whatever the width of their columns. */
const plain = (row: string): string => row.replaceAll(/\s+/g, ' ').trim();

describe('the page of planted defects', () => {
	it('names every plant of the stream with its mechanism, its layer and a life that notices it', () => {
		const names = Object.keys(plants) as (keyof typeof mechanisms)[];
		const expected = names.map((name) => {
			const [mechanism, life] = mechanisms[name];
			return rowOf(name, mechanism, life, plants[name]!.layer);
		});
		expect(rows.map(plain)).toEqual(expected);
	});

	it('names a mechanism for every plant, and no other', () => {
		expect(Object.keys(mechanisms).sort()).toEqual(Object.keys(plants).sort());
	});
});
