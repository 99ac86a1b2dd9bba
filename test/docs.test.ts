import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pages } from '../scripts/docs';
import { namedNumbers, numberedNames } from './support/numbered-names';

const root = join(__dirname, '..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/*.md'], {
	cwd: root,
	exclude: (path) => path.includes('node_modules'),
});

describe('generated pages', () => {
	it.each(Object.keys(pages))('docs/%s is what npm run docs writes', (name) => {
		expect(text(join('docs', name))).toBe(pages[name]!());
	});
});

it('the record of dependencies has a row for each of them, and for nothing else', () => {
	const record = text('docs/decisions/0020-dependencies-are-few-and-exact.md');
	const rows = [...record.matchAll(/^\| ([@a-z][^|]*?) +\|/gm)].flatMap(([, names]) => names!.split(', '));
	const installed = ['package.json', 'packages/core/package.json', 'packages/sandbox/package.json'].flatMap((file) => {
		const { dependencies = {}, devDependencies = {} } = JSON.parse(text(file)) as Record<string, object | undefined>;
		return Object.keys({ ...dependencies, ...devDependencies });
	});
	const ours = /^@types\/|^@partner-exchange\//;
	expect(rows.sort()).toEqual([...new Set(installed)].filter((name) => !ours.test(name)).sort());
});

describe.each(['SECURITY.md', 'docs/guides/where-it-runs.md'])('the promises of %s', (page) => {
	const files = text(page).match(/test\/[\w/-]+(\.test)?\.ts/g) ?? [];

	it('name tests that exist', () => {
		expect(files.length).toBeGreaterThan(9);
		expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
	});
});

describe('documents', () => {
	it('documents link to files that exist', () => {
		const links = documents.flatMap((file) =>
			[...text(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => ({
				file,
				target: target!,
			})),
		);
		expect(links.length).toBeGreaterThan(100);
		expect(links.filter(({ file, target }) => !existsSync(join(root, dirname(file), target)))).toEqual([]);
	});

	it('documents link to headings that exist', () => {
		const links = documents.flatMap((file) =>
			[...text(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)]+)\)/g)].map(([, target, heading]) => ({
				file,
				target: target === '' ? file : join(dirname(file), target!),
				heading: heading!,
			})),
		);
		expect(links.filter(({ target, heading }) => !headings(target).includes(heading))).toEqual([]);
	});

	it('documents state the numbers of the source: `NAME` (value) has the value of that constant', () => {
		const constants = namedNumbers();
		const stated = documents.flatMap((file) => numberedNames(text(file)).map((each) => ({ file, ...each })));
		expect(stated.length).toBeGreaterThan(10);
		const wrong = stated
			.filter(({ name, value }) => !constants.get(name)?.has(value))
			.map(({ file, name, stated: said }) => ({ file, name, said, source: [...(constants.get(name) ?? [])] }));
		expect(wrong).toEqual([]);
	});
});

/** Pages on how things work, which name the code. */
const aboutCode = documents.filter((file) =>
	/^(ARCHITECTURE\.md|docs\/(decisions\/\d.*|stream|n8n|node-red|sandbox|performance)\.md)$/.test(file),
);
/** Codes of Node. */
const ofOthers = ['ERR_INVALID_URL'];

it('pages on how things work name only words that are in the repository', () => {
	const sources = globSync(['**/*.{ts,js,mjs,json,html,conf,yaml,yml}', 'docs/interface.md', '.npmrc'], {
		cwd: root,
		exclude: (path) => /(^|\/)(node_modules|dist|\.git|\.mutate)$/.test(path),
	});
	const words = new Set(sources.flatMap((file) => text(file).match(/[A-Za-z_]\w*/g) ?? []));
	const named = aboutCode.flatMap((file) =>
		[...text(file).matchAll(/`([A-Za-z]\w*)`/g)].map(([, name]) => ({ file, name: name! })),
	);
	expect(named.length).toBeGreaterThan(200);
	expect(named.filter(({ name }) => !words.has(name) && !ofOthers.includes(name))).toEqual([]);
});

/** The anchors of the headings of a page, as GitHub makes them. */
function headings(file: string): string[] {
	return [...text(file).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
		title!
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	);
}
