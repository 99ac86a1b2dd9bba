import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tables } from '../packages/node-red/build/languages';
import { inLanguage, type Table } from '../packages/node-red/build/say';
import { findings, saidTexts } from '../scripts/translations';

const folder = 'packages/node-red/languages';
const texts = saidTexts();

/** Parts that are the same in every language: code, placeholders, HTML tags, names of message properties. */
const fixed = (text: string): string[] =>
	[
		...(text.match(/`[^`]*`|\{\w+\}|__\w+__|\*\*/g) ?? []),
		/^(###|- |\d\. |: [\w.]+ \(\w+\) : )/.exec(text)?.[0] ?? '',
	].sort();

/** The rows of the glossary; the heading of a column ends in the code of its language, as in `German (de)`. */
const [heading = [], ...glossary] = readFileSync(join(__dirname, '..', folder, 'README.md'), 'utf8')
	.split('## Glossary')[1]!
	.split('\n')
	.filter((line) => /^\| [A-Za-z]/.test(line))
	.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
const columnOf = (language: string): number => heading.findIndex((title) => title.endsWith(`(${language})`));

describe.each(Object.entries(tables))('the editor in %s', (language, table) => {
	it('a translation keeps names, placeholders and code as they are', () => {
		for (const [english, translation] of Object.entries(table))
			expect({ english, fixed: fixed(translation) }).toEqual({ english, fixed: fixed(english) });
	});

	it('no translation is empty, and none has a space where it does not belong', () => {
		for (const [english, translation] of Object.entries(table)) {
			expect({ english, translation }).toEqual({ english, translation: expect.stringMatching(/\S/) });
			expect({ english, trimmed: translation.trim() }).toEqual({ english, trimmed: translation });
			expect({ english, stop: translation.endsWith('.') }).toEqual({ english, stop: english.endsWith('.') });
		}
	});

	it('a language has a column in the glossary', () => {
		expect(heading).toContainEqual(expect.stringMatching(`\\(${language}\\)$`));
	});

	it('the page of the package names the language', () => {
		const name = heading[columnOf(language)]?.replace(/ \(.*/, '');
		const page = readFileSync(join(__dirname, '../packages/node-red/README.md'), 'utf8');
		expect(/The editor speaks ([^.:]*)/.exec(page)?.[1]).toContain(name);
	});

	it('a translation calls each thing what the glossary calls it', () => {
		const column = columnOf(language);
		const strays = glossary.flatMap(([english = '', ...others]) =>
			column < 0 ? [] : otherwise(table, english, others[column - 1]!.split(', ')).map((text) => ({ english, text })),
		);
		expect(strays).toEqual([]);
	});
});

/** The English texts that have a word whose translation has none of its terms. */
function otherwise(table: Table, english: string, terms: readonly string[]): string[] {
	const word = new RegExp(
		`(?<![\\w\`-])${english.replace('available funds', 'available .*funds')}s?(?![\\w\`-]|\\.\\w)`,
		'i',
	);
	const spoken = (text: string): string => text.replace(/`[^`]*`/g, '').toLowerCase();
	return Object.entries(table)
		.filter(([text]) => word.test(text.replace(/`[^`]*`/g, '')))
		.filter(([, translation]) => !terms.some((term) => spoken(translation).includes(term.toLowerCase())))
		.map(([text]) => text);
}

describe('the completeness of a language', () => {
	it('names a new text and a changed one, and says what to do', () => {
		expect(findings('de', { Price: 'Preis', 'Old help': 'Alte Hilfe' }, ['Price', 'New help'])).toEqual([
			'"New help" has no translation: add it to packages/node-red/languages/de.json',
			'"Old help" is said no more: in packages/node-red/languages/de.json, give its translation to the text it became, or remove it',
		]);
	});

	it('a build needs no complete language: missing words are said in English', () => {
		const say = inLanguage({ 'Only when {field} is set': 'Nur wenn {field} gesetzt ist' });
		expect(say('Only when {field} is set', { field: 'price' })).toBe('Nur wenn price gesetzt ist');
		expect(say('Brand new: {field}', { field: 'price' })).toBe('Brand new: price');
		expect(say('toString')).toBe('toString');
	});

	it('covers forms, options, help, statuses and the words of the editor itself', () => {
		for (const text of [
			'Price',
			'Maximum Quantity',
			'### Inputs',
			'outcome unknown',
			'Test connection',
			'create order',
		])
			expect(texts).toContain(text);
	});
});
