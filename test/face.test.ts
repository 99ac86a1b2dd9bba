import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../packages/core/package.json';

/** The exported names of `@partner-exchange/core`: none of them can be changed without breaking a user. */

const root = join(__dirname, '..');
const NAMES_MAX = 64;

const entries = Object.keys(manifest.exports).map((entry) => entry.slice(1));
const sourceOf = (entry: string) => manifest.exports[`.${entry}` as '.'].types.replace('./dist', 'packages/core/src');

/** The names of a list such as `type Client, createClient as open`. */
const namesIn = (list: string): string[] =>
	list
		.split(',')
		.map((name) => name.trim().replace(/^type /, ''))
		.filter((name) => name !== '');

/** The exported names of an entry, all listed explicitly: with `export *` a name could become public unnoticed. */
function exportedNames(file: string): string[] {
	const text = readFileSync(join(root, file), 'utf8');
	// What is written from the catalogue has a name for each operation, and is looked through by its own test.
	const listed = text.replace(/^export type \* from '.\/client\/methods';$/m, '');
	if (/^export (type )?\*/m.test(listed))
		throw new Error(`${file} exports everything of a file: name what is to be shown`);
	const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => namesIn(list!));
	const own = [...text.matchAll(/^export (?:async )?(?:const|function|type|interface|class) (\w+)/gm)];
	return [...lists, ...own.map(([, name]) => name!)];
}

/** The names that files import from an entry. */
function usedFrom(entry: string, globs: string[]): Set<string> {
	const imports = new RegExp(`import (?:type )?\\{([^}]*)\\} from '@partner-exchange/core${entry}'`, 'g');
	const files = globSync(globs, { cwd: root, exclude: (path) => /node_modules|\/dist/.test(path) });
	const clauses = files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(imports)]);
	return new Set(clauses.flatMap(([, list]) => namesIn(list!).map((name) => name.replace(/ as .*/, ''))));
}

const namesOf = new Map(entries.map((entry) => [entry, exportedNames(sourceOf(entry).replace('.d.ts', '.ts'))]));

describe('the public face of the core', () => {
	it(`the public face has at most ${NAMES_MAX} names`, () => {
		const names = namesOf.get('')!;
		const advice =
			'Put what a host needs into adapters.ts, what tests look into into testing.ts, words of the service into the catalogue; or take a name out.';
		expect(names.length > NAMES_MAX ? `${names.length} names in index.ts. ${advice}` : '').toBe('');
	});

	it('shows a name in one entry only, so that everybody imports it from the same place', () => {
		const all = [...namesOf].flatMap(([entry, names]) => names.map((name) => ({ name, entry: `core${entry}` })));
		const twice = all.filter(({ name, entry }) => all.some((other) => other.name === name && other.entry !== entry));
		expect(twice).toEqual([]);
	});

	it.each([
		['/adapters', ['{nodes,credentials,build}/**/*.ts', 'packages/node-red/{src,build}/**/*.ts']],
		['/testing', ['{test,bench}/**/*.ts']],
	])('shows nothing in %s that nobody there takes: remove the name from the entry', (entry, users) => {
		const used = usedFrom(entry, users);
		expect(namesOf.get(entry)!.filter((name) => !used.has(name))).toEqual([]);
	});

	it('examples and hosts import nothing that is there for tests', () => {
		const users = ['{nodes,credentials,build,examples,scripts}/**/*.ts', 'packages/{node-red,sandbox}/**/*.ts'];
		expect([...usedFrom('/testing', users)]).toEqual([]);
		expect([...usedFrom('/adapters', ['{examples,scripts}/**/*.ts', 'packages/sandbox/**/*.ts'])]).toEqual([]);
	});
});
