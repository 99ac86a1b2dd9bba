import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tablesIn } from './support/tables';

const root = join(__dirname, '..');

/**
 * The lists in test/cases.md: the letter their numbers begin with, and the word that refers to them in a test title.
 */
const lists = [
	{ word: 'checklist', letter: '' },
	{ word: 'fault', letter: 'F' },
	{ word: 'security', letter: 'S' },
] as const;
type List = (typeof lists)[number];

const { 'Cases without a test': reasons = [], ...tables } = tablesIn(readFileSync(join(root, 'test/cases.md'), 'utf8'));
const cases = Object.values(tables).flat();
const excused = reasons.map((row) => row['#']!);

const isOf = ({ letter }: List, number: string): boolean => number.replace(/\d+$/, '') === letter;
const numbersOf = (list: List): string[] => cases.map((row) => row['#']!).filter((number) => isOf(list, number));

/**
 * The case numbers at the end of a test title: `(checklist 17)`, `(fault 3, 4)`, or several lists: `(checklist 59;
 * fault 2)`.
 */
const marked = globSync('test/**/*.ts', { cwd: root }).flatMap((file) =>
	[...readFileSync(join(root, file), 'utf8').matchAll(/\(((?:checklist|fault|security) \d[^()]*)\)/g)].flatMap(
		([, marks]) =>
			[...marks!.matchAll(/(checklist|fault|security) ([\d, ]+)/g)].flatMap(([, word, numbers]) =>
				numbers!
					.split(',')
					.map((number) => number.trim())
					.filter(Boolean)
					.map((number) => `${lists.find((list) => list.word === word)!.letter}${number}`),
			),
	),
);
const tested = new Set(marked);

/** Cases that are covered by a fault or an attack with the same content. */
const same = (number: string): string[] =>
	(cases.find((row) => row['#'] === number)?.Cases ?? '').split(',').flatMap((other) => other.trim() || []);

const hasTest = (number: string): boolean =>
	tested.has(number) ||
	excused.includes(number) ||
	(same(number).length > 0 && same(number).every((other) => tested.has(other)));

describe.each(lists)('the $word numbers of test/cases.md', (list) => {
	const numbers = numbersOf(list);

	it('the $word numbers follow each other without a gap', () => {
		expect(numbers.length).toBeGreaterThan(50);
		expect(numbers).toEqual(numbers.map((_, index) => `${list.letter}${index + 1}`));
	});

	it('$word numbers have a test each, or a reason why not', () => {
		expect(numbers.filter((number) => !hasTest(number))).toEqual([]);
	});

	it('$word numbers are named in tests only if they exist', () => {
		expect([...tested].filter((number) => isOf(list, number) && !numbers.includes(number))).toEqual([]);
	});
});

describe('test/cases.md', () => {
	it('the list of cases points at cases that exist', () => {
		const earlier = numbersOf(lists[0]);
		expect(cases.flatMap((row) => same(row['#']!)).filter((number) => !earlier.includes(number))).toEqual([]);
	});

	it('the list of cases excuses nothing that has a test', () => {
		expect(excused.filter((number) => tested.has(number))).toEqual([]);
	});
});
