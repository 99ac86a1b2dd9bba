import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentsOf, withoutComments } from './support/comments';
import { sentencesOf } from './support/sentences';

const root = join(__dirname, '..');
/** Pages that programs write from tables and measurements, and the history of what users noticed. */
const made = ['CHANGELOG.md', 'docs/assumptions.md', 'docs/decisions/README.md', 'docs/operations.md'];
const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/*.md'], { cwd: root })
	.filter((path) => !/node_modules|docs\/api/.test(path) && !made.includes(path))
	.sort();

/** What a reader of the code reads, but for what programs write. */
const sources = globSync(
	['packages/*/{src,build,console}/**/*.ts', '{nodes,credentials,scripts}/**/*.ts', 'build/*.{ts,mjs}'],
	{ cwd: root },
)
	.filter((path) => path !== 'packages/core/src/client/methods.ts')
	.sort();

/** A clear long sentence beats three riddles; beyond this a reader has lost its beginning. */
const SENTENCE_WORDS_MAX = 45;

/** Words that a reader who learned English late looks up, or reads twice, each with a plainer one. */
const plainer: readonly (readonly [RegExp, string])[] = [
	[/\bwe\b/i, 'you, or the name of the part'],
	[/\banew\b/i, 'again'],
	[/\bin vain\b/i, 'without success'],
	[/\b(?:is|are) none\b/i, 'does not exist, or is not a …'],
	[/\bhears? of\b/i, 'gets, or learns that'],
	[/\b(?:shall|thus|hence|lest|whence|hitherto|thereby|wherein)\b/i, 'a word of today'],
	[/\bstands? (?:in|on|at|under|beside|below|above|there|where)\b/i, 'is'],
	[/\blets? go\b/i, 'drops, or releases'],
	[/\bnought\b/i, 'zero'],
];

/** How a comment begins that says nothing to a reader who sees it without those around it, as an editor shows it. */
const withoutNoun =
	/^(?:The same(?: (?:of|for|in|as)\b|[.,:;])|One (?:that|who|whose|which|with|without|is)\b|Who(?:ever)?\b|Those\b|Of\b|So (?:many|much|long|often|far)\b)/;

/** A comment that begins so speaks of something that was not named, because nothing comes before it. */
const unnamed = /^(?:(?:What|Whether|When|Where|Why|How|Whose) )?(?:it|its|they|their|them)\b/i;

const longOnes = (text: string): string[] =>
	sentencesOf(text)
		.filter(({ words }) => words > SENTENCE_WORDS_MAX)
		.map(({ text: sentence, words }) => `${words} words: ${sentence}`);

const riddlesIn = (sentence: string): string[] =>
	plainer.filter(([word]) => word.test(sentence)).map(([word, instead]) => `${word}, say "${instead}": ${sentence}`);

const riddles = (text: string): string[] => sentencesOf(text).flatMap((sentence) => riddlesIn(sentence.text));

const nameless = (comment: string): string[] =>
	sentencesOf(comment).flatMap(({ text }) => (withoutNoun.test(text) ? [text] : []));

const unnamedIn = (comment: string): string[] =>
	sentencesOf(comment)
		.slice(0, 1)
		.flatMap(({ text }) => (unnamed.test(text) ? [text] : []));

describe.each(pages)('%s is in plain English', (page) => {
	const text = readFileSync(join(root, page), 'utf8');

	it(`${page} has no sentence of more than ${SENTENCE_WORDS_MAX} words`, () => {
		expect(longOnes(text)).toEqual([]);
	});

	it(`${page} uses no word that has a plainer one`, () => {
		expect(riddles(text)).toEqual([]);
	});
});

describe('the pages that programs write', () => {
	it.each(made.filter((page) => page !== 'CHANGELOG.md'))('%s uses no word that has a plainer one', (page) => {
		expect(riddles(readFileSync(join(root, page), 'utf8'))).toEqual([]);
	});
});

/** What a reader of the tests reads. Their texts are as services and hosts write them. */
const tests = globSync('{test,bench}/**/*.{ts,js,mjs}', { cwd: root })
	.filter((path) => !/(core|simulation)\/stream\/|plain-words/.test(path))
	.sort();

/** Titles of tests, whole or cut short at a quotation mark. */
const titlesIn = (source: string): string[] =>
	[...source.matchAll(/^\s*(?:(?:it|describe)[\w.]*\(|\]\)\(|'(?=.*',$))\s*['"`]?(.+?)['"`]/gm)].map(
		([, title]) => title!,
	);

it.each(tests)('%s has comments and titles in plain English, each comment with its noun', (path) => {
	const source = readFileSync(join(root, path), 'utf8');
	const comments = commentsOf(source);
	const weak = [longOnes, riddles, nameless, unnamedIn].flatMap((find) => comments.flatMap(find));
	expect([...weak, ...titlesIn(source).flatMap(riddlesIn)]).toEqual([]);
});

describe.each(sources)('%s is in plain English', (path) => {
	const source = readFileSync(join(root, path), 'utf8');
	const comments = commentsOf(source);

	it(`${path} has no comment with a sentence of more than ${SENTENCE_WORDS_MAX} words`, () => {
		expect(comments.flatMap(longOnes)).toEqual([]);
	});

	it(`${path} uses no word that has a plainer one, in comments and in texts`, () => {
		expect([...comments.flatMap(riddles), ...withoutComments(source).split('\n').flatMap(riddlesIn)]).toEqual([]);
	});

	it(`${path} begins each sentence of a comment with its noun`, () => {
		expect(comments.flatMap(nameless)).toEqual([]);
	});
});

it.each(sources.filter((path) => !/^nodes|node-red|core\/src\/stream/.test(path)))(
	'%s opens no comment with a pronoun',
	(path) => {
		expect(commentsOf(readFileSync(join(root, path), 'utf8')).flatMap(unnamedIn)).toEqual([]);
	},
);

describe('the check of plain English', () => {
	const long = `Every word ${'of a chain '.repeat(15)}counts; a semicolon does not end the sentence.`;

	it('notices a long sentence in a paragraph, a list and a table, but not in code', () => {
		const page = `${long}\n\n- ${long}\n\n| ${long} | short |\n\n\`\`\`sh\n${long}\n\`\`\`\n`;
		expect(longOnes(page)).toHaveLength(3);
	});

	it('counts a sentence that goes over several lines, with links and code in it, once', () => {
		expect(sentencesOf('A [link\nof words](x.md) and `a b c`\nends. Here is another. It has `code`.')).toEqual([
			{ text: 'A link of words and ~ ends.', words: 7 },
			{ text: 'Here is another.', words: 3 },
			{ text: 'It has ~.', words: 3 },
		]);
	});

	it('notices a comment whose sentence does not name its subject, over several lines and behind code too', () => {
		const source = [
			'/**',
			' * The longest name. The same of',
			' * a topic.',
			' */',
			'const a = [1]; // One that waits is late',
			"const text = 'Who sees it? Of others nothing.';",
			'\t// Rows. So many',
			'\t// are read.',
			'',
		].join('\n');
		expect(commentsOf(source).flatMap(nameless)).toEqual([
			'The same of a topic.',
			'One that waits is late',
			'So many are read.',
		]);
	});

	it('notices a comment that opens with a pronoun, and no later sentence', () => {
		const source = '/** Whether it waits. It may. */\nlet a;\n// Its end.\nlet b; // A row. It is read.';
		expect(commentsOf(source).flatMap(unnamedIn)).toEqual(['Whether it waits.', 'Its end.']);
	});

	it('notices a word that has a plainer one', () => {
		expect(riddles('It begins anew. An order stands in the list. It standsin no list.')).toHaveLength(2);
	});
});
