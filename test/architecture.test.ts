import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
	commandOf,
	routeOf,
	nameParts,
	operationIds,
	operationOf,
	options,
	type Field,
} from '@partner-exchange/core/catalogue';

const root = join(__dirname, '..');
const sources = globSync(['packages/*/src/**/*.ts', 'nodes/**/*.ts', 'credentials/**/*.ts'], { cwd: root }).sort();
const text = (file: string) => readFileSync(join(root, file), 'utf8');
/** Removes comments, which may mention any module. */
const code = (file: string) => text(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
const under = (...folders: string[]) =>
	sources.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));

/** The imports of a file: packages by name, own files by path from the root. */
function importsOf(file: string): string[] {
	const named = [...text(file).matchAll(/(?:from|import|require\()\s*'([^']+)'/g)].map(([, name]) => name!);
	return named.map((name) => (name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name));
}
const importing = (files: string[], pattern: RegExp) =>
	files.filter((file) => importsOf(file).some((name) => pattern.test(name)));

const core = 'packages/core/src';
const plainNode = [`${core}/node.ts`, ...under(`${core}/node`)];
const pure = under(core).filter((file) => !plainNode.includes(file));
const adapters = under('nodes', 'credentials', 'packages/node-red/src');

describe('dependencies point one way', () => {
	it('finds sources in every part', () => {
		for (const part of [core, 'packages/sandbox/src', 'packages/node-red/src', 'nodes', 'credentials']) {
			expect(under(part).length).toBeGreaterThan(0);
		}
	});

	it('the catalogue imports nothing but itself', () => {
		expect(importing(under(`${core}/catalogue`), /^(?!packages\/core\/src\/catalogue)/)).toEqual([]);
	});

	// Type imports included: a cycle of types is one for the reader as well.
	it.each([
		['wire', []],
		['input', ['wire']],
		['orders', ['wire', 'input']],
		['client', ['wire', 'input', 'orders']],
	])('%s imports, besides itself and the catalogue, only the layers below: %j', (layer, below) => {
		const others = ['wire', 'input', 'orders', 'client', 'stream', 'watch', 'node'].filter(
			(name) => name !== layer && !below.includes(name),
		);
		expect(importing(under(`${core}/${layer}`), new RegExp(`^${core}/(${others.join('|')})(/|$)`))).toEqual([]);
	});

	it.each([
		['topics', []],
		['log', ['topics']],
		['connection', []],
		['sources', ['topics', 'log', 'feed']],
		['feed', ['topics', 'log', 'sources', 'connection']],
	])('in the stream, %s imports, besides what all share, only: %j', (layer, below) => {
		const stream = `${core}/stream`;
		const layers = ['topics', 'log', 'connection', 'sources', 'feed'];
		const others = [...layers, 'stream', 'registry'].filter((name) => name !== layer && !below.includes(name));
		expect(under(`${stream}/${layer}`).length).toBeGreaterThan(0);
		expect(importing(under(`${stream}/${layer}`), new RegExp(`^${stream}/(${others.join('|')})(/|$)`))).toEqual([]);
	});

	it('what decides about an event waits for nothing', () => {
		const decides = [
			...under(`${core}/stream/log`),
			...['sequence', 'book-sequence'].map((name) => `${core}/stream/feed/${name}.ts`),
		];
		const waits = /\b(async|await|Promise|AbortController|clock)\b/;
		expect(decides.filter((file) => waits.test(code(file)))).toEqual([]);
	});

	it.each([
		['host', []],
		['account', ['host']],
		['form', ['host', 'account']],
		['action', ['host', 'account', 'form']],
		['delivery', ['host', 'account', 'form']],
		['trigger', ['host', 'account', 'form', 'delivery']],
	])('in n8n, %s imports, besides itself, only: %j', (folder, below) => {
		const shared = 'nodes/shared';
		const others = ['host', 'account', 'form', 'action', 'delivery', 'trigger', '[^/]+$'].filter(
			(name) => name !== folder && !below.includes(name),
		);
		expect(under(`${shared}/${folder}`).length).toBeGreaterThan(0);
		expect(importing(under(`${shared}/${folder}`), new RegExp(`^${shared}/(${others.join('|')})(/|$)`))).toEqual([]);
	});

	it.each([
		['host', []],
		['checkpoints', ['host']],
		['account', ['host', 'checkpoints']],
		['delivery', ['host', 'checkpoints']],
		['action', ['host', 'account']],
		['events', ['host', 'checkpoints', 'account', 'delivery']],
	])('in Node-RED, %s imports, besides itself and what all share, only: %j', (folder, below) => {
		const nodeRed = 'packages/node-red/src';
		const others = ['host', 'checkpoints', 'account', 'delivery', 'action', 'events', 'editor', 'index'].filter(
			(name) => name !== folder && !below.includes(name),
		);
		expect(under(`${nodeRed}/${folder}`).length).toBeGreaterThan(0);
		expect(importing(under(`${nodeRed}/${folder}`), new RegExp(`^${nodeRed}/(${others.join('|')})(/|$)`))).toEqual([]);
	});

	it('names each port of the stream where it is given, and spreads no ports', () => {
		const spread = /(?<=[{,]\s*)\.\.\.(\w*[pP]orts|given|parts|shared|options)\b(?!\.|\s*\}:)/;
		expect(under(`${core}/stream`).flatMap((file) => spread.exec(code(file))?.[0] ?? [])).toEqual([]);
	});

	it('a limit of the stream is in the table of limits, where a reader finds it', () => {
		const limit = /^(?:export )?const (?!MINUTE_MS)(?:[A-Z]+_)+(?:MAX|MIN|MS|EVERY|AFTER|ROW|CONFIRM) =/m;
		const elsewhere = under(`${core}/stream`).filter((file) => limit.test(code(file)));
		expect(elsewhere).toEqual([`${core}/stream/limits.ts`]);
	});

	it.each([core, 'packages/node-red/src', 'nodes'])('in %s, a comment says what each limit is for', (folder) => {
		const limit = /^(?<above>.*)\n(?:export )?const (?!(?:MINUTE|DAY)_MS)(?<name>(?:[A-Z]+_)+(?:MAX|MIN|MS|ROW)) =/gm;
		const limits = under(folder).flatMap((file) =>
			[...text(file).matchAll(limit)].map(({ groups }) => ({ ...groups })),
		);
		expect(limits.length).toBeGreaterThan(10);
		// One right below another constant shares its comment.
		expect(limits.filter(({ above = '' }) => !/\*\/$|^[^i].*;$/.test(above))).toEqual([]);
	});

	it('no file imports itself through others, types included', () => {
		const files = new Set(under(core, 'nodes', 'credentials', 'packages/node-red/src', 'packages/sandbox/src'));
		const fileOf = (name: string) => [`${name}.ts`, `${name}/index.ts`].find((file) => files.has(file));
		const reached = (from: string, seen = new Set<string>()): Set<string> => {
			for (const file of importsOf(from).flatMap((name) => fileOf(name) ?? []))
				if (!seen.has(file)) reached(file, seen.add(file));
			return seen;
		};
		expect([...files].filter((file) => reached(file).has(file))).toEqual([]);
	});

	it('the core imports no adapter, no sandbox and no package but the decimals and one hash', () => {
		expect(importing(pure, /^(?!packages\/core\/src|big\.js$|node:crypto$)/)).toEqual([]);
		expect(importing(pure, /packages\/core\/src\/node(\/|$)/)).toEqual([]);
	});

	it('adapters never import each other', () => {
		expect(importing(under('nodes', 'credentials'), /packages\/|node-red|sandbox/)).toEqual([]);
		expect(importing(under('packages/node-red/src'), /^nodes\/|^credentials\/|^n8n-|sandbox/)).toEqual([]);
	});

	it('the sandbox takes the catalogue from the core and nothing else', () => {
		expect(
			importing(under('packages/sandbox/src'), /partner-exchange\/core(?!\/catalogue$)|packages\/core|n8n|node-red/),
		).toEqual([]);
	});

	it.each([
		['nodes', /\.logger\./, 'nodes/shared/host/log.ts'],
		['packages/node-red/src', /\bself\.(warn|error|log|status)\(/, 'packages/node-red/src/host/host-node.ts'],
		['packages/node-red/src', /\bRED\.log\./, 'packages/node-red/src/checkpoints/journal.ts'],
	])('of %s, one file writes what people read by %s, and shows it as printable', (folder, way, file) => {
		const files = under(folder).filter((each) => way.test(code(each)));
		expect(files).toEqual([file]);
		expect(code(file)).toContain('printable(');
	});

	it('nothing imports a test', () => {
		expect(importing(sources, /^test(\/|$)/)).toEqual([]);
	});

	it.each([
		['axios', `${core}/node/http.ts`],
		['ws', `${core}/node/socket.ts`],
		['hpagent|proxy-from-env', `${core}/node/proxy.ts`],
	])('one file of the core and the hosts imports %s', (name, file) => {
		expect(importing([...under(core), ...adapters], new RegExp(`^(${name})$`))).toEqual([file]);
	});
});

describe('the core is pure', () => {
	const impure =
		/\b(setTimeout|setInterval|setImmediate|queueMicrotask|Date\.now|Math\.random|fetch|console|process|globalThis|WebSocket)\b\s*[.(]|new Date\(\)/;

	it.each(pure)('%s takes clock, chance and network as arguments', (file) => {
		const withoutText = code(file).replace(/`[^`]*`|'[^'\n]*'/gm, '');
		expect(impure.exec(withoutText)?.[0]).toBeUndefined();
		const hashes = /import \{([^}]*)\} from 'node:crypto'/.exec(text(file))?.[1]?.trim() ?? 'hash';
		expect(hashes).toBe('hash');
	});
});

describe('the catalogue is the only place that knows an operation', () => {
	const named = new RegExp(`['"\`](${operationIds.map((id) => id.replace('.', '\\.')).join('|')})['"\`]`);
	const called = new RegExp(`client\\.(${operationIds.map((id) => id.replace('.', '\\.')).join('|')})\\(`);

	// The types of the client's methods are written from the catalogue itself.
	const written = [...adapters, ...under(...['wire', 'input', 'client'].map((layer) => `${core}/${layer}`))].filter(
		(file) => !text(file).startsWith('// Written by `npm run docs`'),
	);
	it.each(written)('%s names no operation by its id', (file) => {
		expect(named.exec(code(file))?.[0]).toBeUndefined();
		expect(called.exec(code(file))?.[0]).toBeUndefined();
	});
});

describe('files hold one thought each', () => {
	it('no source is longer than 400 lines, which is two thoughts', () => {
		const sizes = sources
			.filter((file) => !text(file).startsWith('// Written by'))
			.map((file) => ({ file, lines: text(file).split('\n').length }));
		expect(sizes.filter(({ lines }) => lines > 400)).toEqual([]);
	});

	// Behind the imports it is read as the comment of the first constant, and an editor shows it there.
	it.each(['nodes', 'credentials', 'packages/node-red/src', 'packages/sandbox/src', `${core}/node`])(
		'in %s, what is said of a whole file is said before its imports',
		(folder) => {
			const ofTheFile = /\n\/\*\*(?:(?!\*\/)[^])*\*\/\n(?:\n|import )/;
			expect(under(folder).filter((file) => ofTheFile.test(text(file).replace(/^#!.*\n/, '')))).toEqual([]);
		},
	);

	it('no source is named after nothing in particular', () => {
		expect(
			sources.filter((file) => /\b(utils?|helpers?|common|manager|base|service|handler|misc)\b/.test(file)),
		).toEqual([]);
	});

	it('no source exports a default', () => {
		expect(sources.filter((file) => /^export default/m.test(text(file)))).toEqual([]);
	});
});

describe('every catalogue entry makes sense', () => {
	const fields = (id: (typeof operationIds)[number]): [string, Field][] => Object.entries(operationOf(id).input);
	const wordy = (words: { label: string; help: string }) => {
		expect(words.label).toMatch(/^[A-Z0-9]/);
		expect(words.help).toMatch(/^[A-Z].*[^.]$/);
		expect(words.help.split(/\s+/).length).toBeLessThanOrEqual(25);
	};

	it.each(operationIds)('%s has every part of its route among its inputs', (id) => {
		const parts = [...(routeOf(operationOf(id)) ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
		const required = fields(id)
			.filter(([, field]) => !field.optional)
			.map(([name]) => name);
		expect(required).toEqual(expect.arrayContaining(parts));
	});

	it.each(operationIds)('%s has words for people', (id) => {
		const { label, action, help } = operationOf(id);
		wordy({ label, help });
		expect(action).toMatch(/^[A-Z][a-z].*[^.]$/);
		for (const [, field] of fields(id)) wordy(field);
	});

	it.each(operationIds)('%s shows a field only when a sibling choice has one of its values', (id) => {
		const { input } = operationOf(id);
		for (const [, field] of fields(id)) {
			for (const [sibling, value] of Object.entries(field.onlyWhen ?? {}))
				expect(input[sibling]?.values).toContain(value);
		}
	});

	it.each(operationIds)('%s has no example that it would refuse itself', (id) => {
		for (const [, { values, example, min }] of fields(id)) {
			if (values && example) expect(values).toContain(example);
			if (min !== undefined && example) expect(Number(example)).toBeGreaterThanOrEqual(min);
		}
	});

	it.each(Object.keys(options) as (keyof typeof options)[])(
		'the option %s has words, and a use that exists',
		(name) => {
			const option: { label: string; help: string; uses?: string; alsoUses?: object } = options[name];
			wordy(option);
			const uses = [...(option.uses ? [option.uses] : []), ...Object.values(option.alsoUses ?? {})];
			expect(operationIds).toEqual(expect.arrayContaining(uses));
			expect(operationIds.some((id) => operationOf(id).options?.includes(name))).toBe(true);
		},
	);

	it.each(operationIds)('%s verifies its lost replies by a list that exists', (id) => {
		const { run } = operationOf(id);
		const retry = run.via === 'rest' && typeof run.retry === 'object' ? run.retry : undefined;
		if (!retry) return;
		const listed = 'verifyBy' in retry ? retry.verifyBy.list : retry.deletedFrom;
		expect(operationIds.find((other) => other === listed && operationOf(other).list)).toBeDefined();
	});

	it('names are a resource and a verb', () => {
		for (const id of operationIds)
			expect(Object.values(nameParts(id)).every((part) => /^[a-z][A-Za-z]+$/.test(part))).toBe(true);
	});

	it('offers nothing that moves money out in production', () => {
		const moving = operationIds.filter((id) => /withdraw|transfer|payout/i.test(id + routeOf(operationOf(id))));
		expect(moving.length).toBeGreaterThan(0);
		expect(moving.filter((id) => !operationOf(id).nonProduction)).toEqual([]);
	});

	it('offers no REST route that the service does not show, as for cancelling and replacing', () => {
		const byCommand = operationIds.filter((id) => commandOf(operationOf(id)));
		expect(byCommand).toEqual(['order.cancel', 'order.replace']);
		for (const id of byCommand) expect(routeOf(operationOf(id))).toBeUndefined();
	});
});

describe('a type has a name of its own', () => {
	const typesOf = (file: string): string[] =>
		[...text(file).matchAll(/^export (?:interface|type|class|enum) (\w+)/gm)].map(([, name]) => name!);

	it.each([
		['the core', under(core)],
		['n8n and the core', under(core, 'nodes', 'credentials')],
		['Node-RED and the core', under(core, 'packages/node-red/src')],
		['the sandbox', under('packages/sandbox/src')],
	])('types have different names in %s', (_, part) => {
		const names = part.flatMap(typesOf);
		expect(names.length).toBeGreaterThan(50);
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	});
});

describe('what the core exports has a name of its own', () => {
	const stream = under(`${core}/stream`);
	const outside = under(core).filter((file) => !stream.includes(file));
	const declared = (file: string): string[] =>
		[...text(file).matchAll(/^(?:export )?(?:async )?(?:function\*?|const) (\w+)/gm)].map(([, name]) => name!);
	const exported = (file: string): string[] =>
		[...text(file).matchAll(/^export (?:async )?(?:function\*?|const) (\w+)/gm)].map(([, name]) => name!);

	it('so that no other file means something else by it', () => {
		const names = outside.flatMap((file) => exported(file).map((name) => ({ name, file })));
		expect(names.length).toBeGreaterThan(300);
		const elsewhere = ({ name, file }: (typeof names)[number]) =>
			outside.filter((other) => other !== file && declared(other).includes(name));
		expect(names.flatMap((each) => elsewhere(each).map((other) => `${other}: ${each.name} of ${each.file}`))).toEqual(
			[],
		);
	});
});
