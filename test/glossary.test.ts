import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(__dirname, '..');
const files = globSync(['packages/*/{src,build,console}/**/*.ts', '{nodes,credentials,scripts,test,bench}/**/*.ts'], {
	cwd: root,
	exclude: (path) => path.includes('node_modules') || path.includes('/dist'),
}).filter((file) => file !== 'test/glossary.test.ts');

/** Terms this project once invented, each with the standard term that replaces it. */
const replaced: Readonly<Record<string, string>> = {
	arrivals: 'request log',
	audience: 'subscribers',
	cameLate: 'late',
	complain: 'onError',
	deed: 'handler',
	deeds: 'handlers',
	excuse: 'ignore',
	goesOn: 'continues',
	goOn: 'resume',
	happening: 'event',
	inHand: 'in flight',
	intake: 'inbox',
	knock: 'upgrade request',
	leftovers: 'orphan files',
	letGo: 'drop',
	outlet: 'replay pacer',
	pursue: 'run',
	pursued: 'run result',
	resumption: 'resume guard',
	shortage: 'missing fills',
	sieve: 'prefilter',
	suffer: 'applyFault',
	takenKeys: 'deduplication window',
	tellFailure: 'report failure',
	tellGap: 'report gap',
	vigil: 'reconciler',
	workshop: 'dependencies',
};

/** The words of an identifier: `lettingGoOn` has `letting`, `go` and `on`, and the pairs `lettingGo` and `goOn`. */
function wordsOf(name: string): string[] {
	const words = name.split(/[-_.]|(?=[A-Z])/).map((word) => word.toLowerCase());
	const pairs = words.slice(1).map((word, index) => words[index]! + word);
	return [...words, ...pairs];
}

const oldNames = new Map(Object.entries(replaced).map(([old, now]) => [old.toLowerCase(), now]));
const found = (names: string[]) =>
	[...new Set(names)].flatMap((name) => {
		const old = wordsOf(name).find((word) => oldNames.has(word));
		return old ? [`${name}: the field says ${oldNames.get(old)}`] : [];
	});

/** Identifiers only: comments and texts may use any word. */
const namesIn = (text: string): string[] =>
	text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'|`[^`]*`/gm, '').match(/[A-Za-z]\w*/g) ?? [];

describe('names are those of the field', () => {
	it.each(files)('%s', (file) => {
		expect(found([basename(file, '.ts'), ...namesIn(readFileSync(join(root, file), 'utf8'))])).toEqual([]);
	});

	it('would notice an old word in any spelling', () => {
		expect(found(['order-deeds', 'letGoOf', 'TakenKeys', 'deedless', 'getGoing'])).toHaveLength(3);
	});
});

/** The types a file exports, by name. */
const typesOf = (file: string): string[] =>
	[...readFileSync(join(root, file), 'utf8').matchAll(/^export (?:interface|type|class|enum) (\w+)/gm)].map(
		([, name]) => name!,
	);
function namedTwice(files: string[]): string[] {
	const places = new Map<string, string[]>();
	for (const file of files) for (const name of typesOf(file)) places.set(name, [...(places.get(name) ?? []), file]);
	return [...places].filter(([, where]) => where.length > 1).map(([name, where]) => `${name}: ${where.join(', ')}`);
}

describe('a type has a name of its own', () => {
	const core = files.filter((file) => file.startsWith('packages/core/src/'));
	it.each([
		['the core', core],
		['n8n and the core', [...core, ...files.filter((file) => /^(nodes|credentials)\//.test(file))]],
		['Node-RED and the core', [...core, ...files.filter((file) => file.startsWith('packages/node-red/src/'))]],
		['the sandbox', files.filter((file) => file.startsWith('packages/sandbox/src/'))],
	])('in %s', (_, part) => {
		expect(part.flatMap(typesOf).length).toBeGreaterThan(50);
		expect(namedTwice(part)).toEqual([]);
	});
});
