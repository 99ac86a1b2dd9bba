import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import * as core from '@partner-exchange/core';
import * as catalogue from '@partner-exchange/core/catalogue';
import * as node from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
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

describe('the examples in comments', () => {
	const examples = names.flatMap(({ name, examples: own }) => own.map((text) => ({ name, text })));

	it('the examples in comments compile', () => {
		const used = (entry: string): string =>
			names
				.filter((each) => each.entry === entry)
				.map(({ name }) => name)
				.join(', ');
		const prelude = Object.entries({ '': used(''), '/catalogue': used('/catalogue'), '/node': used('/node') })
			.map(([entry, list]) => `import { ${list} } from '@partner-exchange/core${entry}';`)
			.join('\n');
		const value = `declare const account: Account, client: Client, stream: Stream, ports: Ports, id: string, error: unknown, previousState: unknown;
declare function wait(ms: number): Promise<void>;
declare function save(events: StreamEvent[]): Promise<void>;`;
		const text = examples
			.map(({ name, text: body }, index) => `async function ${name}${index}() {\n${body}\n}`)
			.join('\n');
		expect(compileErrors([`${prelude}\n${value}\n${text}`])).toEqual([]);
	});

	const row = examples.flatMap(({ text }) =>
		[...text.matchAll(/^(\w+\(.*\)); \/\/ (.+)$/gm)].map(([, call, result]) => ({
			call: call!,
			result: /^(true|false)\b/.exec(result!)?.[0] ?? result!,
		})),
	);

	it.each(row)('$call is $result', ({ call, result }) => {
		const all: Record<string, unknown> = { ...core, ...catalogue, ...node };
		const valueOf = (text: string): unknown => runInNewContext(`(${text})`, all);
		expect(valueOf(call)).toEqual(valueOf(result));
	});
});

describe('packages/core/README.md', () => {
	const page = readFileSync(join(__dirname, '../../packages/core/README.md'), 'utf8');
	const scripts = [...page.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?```ts\n([\s\S]*?)```/gm)].map(([, title, text]) => ({
		title: title!,
		text: text!,
	}));
	const prints: Readonly<Record<string, RegExp>> = {
		'A call': /^USD 100000\.00/m,
		'An order': /^\S+ (filled|cancelled) true$/m,
		'A subscription': /^\S+ .*user_id|^\S+ /m,
		'An error': /^invalid_input quantity\n.*nearest valid values are/m,
	};

	it('the README of the core shows a call, an order, a subscription and an error', () => {
		expect(scripts.map(({ title }) => title)).toEqual(Object.keys(prints));
	});

	it('the examples of the README compile', () => {
		expect(compileErrors(scripts.map(({ text }) => text))).toEqual([]);
	});

	it.each(scripts)('$title prints what it says', async ({ title, text }) => {
		const sandbox = await startSandbox({ marketMaker: true, seed: 7 });
		const load = (name: string): unknown =>
			({
				'@partner-exchange/core': core,
				'@partner-exchange/core/node': { openAccount: openHere },
				'node:fs': { existsSync: () => false, readFileSync, writeFileSync: () => undefined },
			})[name];
		const openHere: typeof node.openAccount = (account, options) =>
			node.openAccount({ ...account, baseUrl: sandbox.baseUrl }, options);
		const printed: string[] = [];
		try {
			await scriptOf(text)(load, (...words: unknown[]) =>
				printed.push(words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))).join(' ')),
			);
			if (title === 'A subscription') await until(() => printed.length > 0, { what: 'the printed fill' });
			expect(printed.join('\n')).toMatch(prints[title]!);
		} finally {
			await sandbox.close();
		}
	});
});
