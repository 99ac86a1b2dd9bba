import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tablesIn } from './support/tables';

const root = join(__dirname, '..');
const page = (name: string) => tablesIn(readFileSync(join(root, 'docs', name), 'utf8'));
const numbersIn = (tables: ReturnType<typeof tablesIn>) =>
	Object.values(tables)
		.flat()
		.map((row) => Number(row['#']));

const cases = numbersIn(page('cases.md'));
const excused = numbersIn(page('decisions/0010-cases-without-a-test.md'));

/** The numbers at the ends of test titles: `(checklist 17)`, or several with commas between them. */
const tested = new Set(
	globSync('test/**/*.test.ts', { cwd: root })
		.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\(checklist ([\d, ]+)\)/g)])
		.flatMap(([, numbers]) => numbers!.split(',').map(Number)),
);

describe('the cases of docs/cases.md', () => {
	it('are numbered without a gap', () => {
		expect(cases).toEqual(cases.map((_, index) => index + 1));
	});

	it('have a test each, or a reason why not', () => {
		expect(cases.filter((number) => !tested.has(number) && !excused.includes(number))).toEqual([]);
	});

	it('are named in tests only by numbers that exist', () => {
		expect([...tested].filter((number) => !cases.includes(number))).toEqual([]);
	});
});
