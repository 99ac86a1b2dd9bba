import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import * as core from '@partner-exchange/core';
import * as catalogue from '@partner-exchange/core/catalogue';
import * as node from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import { compileErrors, publicNames, scriptOf } from '../support/public-names';

const names = publicNames();
const functions = names.filter(({ isFunction, entry }) => isFunction && entry !== '/catalogue');
const labels = (matches: typeof names): string[] => matches.map(({ entry, name }) => `core${entry}: ${name}`);

describe('the comments of what a user imports', () => {
	it('a comment says of every public name what it is', () => {
		expect(names.length).toBeGreaterThan(100);
		expect(labels(names.filter(({ comment }) => comment.length < 20))).toEqual([]);
	});

	it('a comment says of every member of a public interface what it is', () => {
		const unexplained = names.flatMap(({ name, unexplained: members }) => members.map((member) => `${name}.${member}`));
		expect(unexplained).toEqual([]);
	});

	it('a comment says of every public function which codes it throws, or that it never throws', () => {
		const silent = functions.filter(({ throws, comment }) => throws.length === 0 && !/Never\s+throws/.test(comment));
		expect(labels(silent)).toEqual([]);
	});

	it('comments name error codes that exist', () => {
		const named = names.flatMap(({ name, codes }) => codes.map((code) => ({ name, code })));
		expect(named.length).toBeGreaterThan(20);
		expect(named.filter(({ code }) => !Object.hasOwn(core.errorCodes, code))).toEqual([]);
	});

	it('a comment shows an example of every public function', () => {
		expect(labels(functions.filter(({ examples }) => examples.length === 0))).toEqual([]);
	});
});

const examples = names.flatMap(({ name, examples: own }) => own.map((text) => ({ name, text })));

describe('the examples in comments', () => {
	const row = examples.flatMap(({ text }) =>
		[...text.matchAll(/^(\w+\(.*\)); \/\/ (.+)$/gm)].map(([, call, result]) => ({
			call: call!,
			result: /^(true|false)\b/.exec(result!)?.[0] ?? result!,
		})),
	);

	it.each(row)('an example in a comment is right: $call is $result', ({ call, result }) => {
		const all: Record<string, unknown> = { ...core, ...catalogue, ...node };
		const valueOf = (text: string): unknown => runInNewContext(`(${text})`, all);
		expect(valueOf(call)).toEqual(valueOf(result));
	});
});

/** What each script of a page prints, by the title of its section. */
const pages: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
	'packages/core/README.md': {
		'An order': /^\S+ (filled|cancelled) true$/m,
	},
	'docs/guides/scripts.md': {
		'Open an account': /^USD 100000\.00/m,
		'Place an order once': /^filled at its end$/m,
		'How long it may take': /^\d+ currencies$/m,
		'Survive a kill': /^fill:/m,
		Compute: /^15002\.5\n1500\.25$/m,
		'Bring your own ports': /^GET \/v1\/\S+ 200$/m,
	},
};

const scriptsOf = (file: string): { title: string; text: string }[] =>
	[
		...readFileSync(join(__dirname, '../..', file), 'utf8').matchAll(
			/^## (.+)\n(?:(?!^## )[\s\S])*?```ts\n([\s\S]*?)```/gm,
		),
	].map(([, title, text]) => ({ title: title!, text: text! }));

// One compilation, because each takes seconds.
it('the examples in comments and the scripts of pages compile', () => {
	const imports = ['', '/catalogue', '/node'].map((entry) => {
		const used = names.filter((each) => each.entry === entry).map(({ name }) => name);
		return `import { ${used.join(', ')} } from '@partner-exchange/core${entry}';`;
	});
	const given = `declare const account: Account, client: Client, stream: Stream, ports: Ports, id: string, error: unknown, previousState: unknown;
declare function wait(ms: number): Promise<void>;
declare function save(events: StreamEvent[]): Promise<void>;`;
	const bodies = examples.map(({ name, text }, index) => `async function ${name}${index}() {\n${text}\n}`);
	const scripts = Object.keys(pages).flatMap((file) => scriptsOf(file).map(({ text }) => text));
	expect(compileErrors([[...imports, given, ...bodies].join('\n'), ...scripts])).toEqual([]);
});

describe.each(Object.entries(pages))('the scripts of %s', (file, prints) => {
	const scripts = scriptsOf(file);

	it('are each run here, so that none is added without a test', () => {
		expect(scripts.map(({ title }) => title)).toEqual(Object.keys(prints));
	});

	it.each(scripts)(
		'the script under $title runs as it stands, and prints what its page says',
		async ({ title, text }) => {
			const sandbox = await startSandbox({ marketMaker: true, seed: 7 });
			const folder = newFolder();
			const openHere: typeof node.openAccount = (account, options) =>
				node.openAccount({ ...account, baseUrl: sandbox.baseUrl }, options);
			const load = (name: string): unknown =>
				({
					'@partner-exchange/core': core,
					'@partner-exchange/core/node': {
						...node,
						openAccount: openHere,
						fileCheckpoint: (path: string) => node.fileCheckpoint(join(folder, path)),
						fileJournal: (path: string, host: object) => node.fileJournal(join(folder, path), host),
					},
				})[name];
			const printed: string[] = [];
			try {
				await scriptOf(text)(load, (...words: unknown[]) =>
					printed.push(words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))).join(' ')),
				);
				await until(() => prints[title]!.test(printed.join('\n')), {
					what: `what ${title} prints`,
					seen: () => printed,
				});
			} finally {
				await sandbox.close();
			}
		},
	);
});
