import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

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
const find = (names: string[]) =>
	[...new Set(names)].flatMap((name) => {
		const old = wordsOf(name).find((word) => oldNames.has(word));
		return old ? [`${name}: the field says ${oldNames.get(old)}`] : [];
	});

/** Identifiers only: comments and texts may use any word. */
const namesIn = (text: string): string[] =>
	text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'|`[^`]*`/gm, '').match(/[A-Za-z]\w*/g) ?? [];

describe('names are those of the field', () => {
	it.each(files)('%s uses the words of the field', (file) => {
		expect(find([basename(file, '.ts'), ...namesIn(readFileSync(join(root, file), 'utf8'))])).toEqual([]);
	});

	it('the check of words notices an old one in any spelling', () => {
		expect(find(['order-deeds', 'letGoOf', 'TakenKeys', 'deedless', 'getGoing'])).toHaveLength(3);
	});
});

/**
 * Participles that say nothing about the thing they stand for. As part of a name, such as `isKnown` or `notFound`, they
 * do say something.
 */
const participles = ['asked', 'found', 'given', 'held', 'kept', 'known', 'one', 'present', 'shown', 'taken', 'told'];
/** Names of fields that are stored or public, and may not change for their sound. */
const storedFields: Readonly<Record<string, readonly string[]>> = {
	'bench/areas/index.ts': ['held'],
	'bench/areas/triggers/index.ts': ['one'],
	'nodes/shared/trigger/poll.ts': ['known'],
	'packages/core/src/catalogue/stream.ts': ['told'],
	'packages/core/src/client/process-status.ts': ['told'],
	'packages/core/src/stream/fills/state.ts': ['told'],
	'packages/core/src/wallet/transaction-state.ts': ['known'],
	'packages/node-red/src/editor/stream-status.ts': ['told'],
	'packages/node-red/src/events/event-settings.ts': ['taken'],
	'packages/node-red/src/events/fields.ts': ['taken'],
	'packages/node-red/src/positions/positions.ts': ['kept'],
	'packages/sandbox/src/engine/events.ts': ['kept'],
	'packages/sandbox/src/engine/order-changes.ts': ['asked'],
	'packages/sandbox/src/engine/seed.ts': ['kept'],
	'packages/sandbox/src/engine/state.ts': ['asked'],
};

const isField = (node: ts.Node): boolean =>
	ts.isPropertyAssignment(node) || ts.isPropertySignature(node) || ts.isMethodSignature(node);

/** The names a file declares: variables, parameters, types and, unless left out, fields. Not those it only reads. */
function declaredIn(file: string, withFields = true): string[] {
	const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
	const names: string[] = [];
	const visit = (node: ts.Node): void => {
		const { name } = node as { name?: ts.Node };
		const isRead = ts.isPropertyAccessExpression(node) || ts.isShorthandPropertyAssignment(node);
		const declares = !isRead && (withFields || !isField(node));
		if (declares && name && ts.isIdentifier(name)) names.push(name.text);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return names;
}

const named = files.filter((file) => !file.startsWith('test/'));

const isParticiple = (name: string): boolean =>
	participles.some((word) => name === word || name === word[0]!.toUpperCase() + word.slice(1));

describe('a name says what the thing is', () => {
	it.each(named)('%s declares no participle as a name', (file) => {
		const fields = storedFields[file] ?? [];
		expect([...new Set(declaredIn(file).filter(isParticiple))].sort()).toEqual([...fields]);
	});

	// Their literals carry the fields of forms, messages and stored positions.
	it.each(files.filter((file) => file.startsWith('test/')))('%s names no variable by a participle', (file) => {
		expect(declaredIn(file, false).filter(isParticiple)).toEqual([]);
	});
});

/**
 * Words that once had several meanings each. What is still allowed of them has one: a transaction is settled when its
 * status is final, a filter passes an event, and a row of a list is settled that lies before the watermark. The sandbox
 * settles trades and transactions. A reading is a walk through the order list that a search or a limit has begun.
 */
const severalMeanings: readonly (readonly [word: RegExp, instead: string, home?: string])[] = [
	[/^note[A-Z]|^noted$/, 'record, report or mark'],
	[
		/^[Ss]ettle(?!Trade|Transaction)(?:[A-Z]\w*|r|s)?$|^[Ss]ettling$|^onSettled$/,
		'resolve, reconcile, close or conclusive',
	],
	[/^pass$|^isPassing$/i, 'matches, enters or isTransient'],
	[
		/^reading$|^(?:First|Topic)Reading$|ReadingQueue$/i,
		'baseline, backfill, page, read or options',
		'packages/core/src/orders/',
	],
];
/** Stored fields, and words of the service. */
const settledFields: Readonly<Record<string, readonly string[]>> = {
	'packages/core/src/node/journal.ts': ['settle'],
	'packages/node-red/src/events/event-settings.ts': ['settle', 'settleMsOf'],
	'packages/node-red/src/events/fields.ts': ['settle'],
};

describe('a word has one meaning', () => {
	it.each(named)('%s declares no name with a word of several meanings', (file) => {
		const fields = settledFields[file] ?? [];
		const words = severalMeanings.filter(([, , home]) => home === undefined || !file.startsWith(home));
		const names = declaredIn(file).filter((name) => words.some(([word]) => word.test(name)));
		expect([...new Set(names)].sort()).toEqual([...fields].sort());
	});
});

/** The comments of a text. What a comment links to by name is not said in words. */
const commentsIn = (text: string): string =>
	(text.match(/\/\*[\s\S]*?\*\/|\/\/ .*$/gm) ?? []).join('\n').replaceAll('{@link Consumer}', '');

describe('whoever gets the events of a stream is a subscriber', () => {
	// What a caller hands over is a `Consumer`: these two files say so, the others only pass it on under that name.
	const face = ['contract.ts', 'delivery/guard.ts'].map((file) => `packages/core/src/stream/${file}`);
	const inside = files.filter((file) => file.startsWith('packages/core/src/stream/') && !face.includes(file));
	const others = (text: string, names: readonly string[]): string[] => [
		...names.filter((name) => /consumer|(?<!re)member/i.test(name) && !/^(?:guarded)?consumer$/i.test(name)),
		...(commentsIn(text).match(/\b(?:consumer|member)s?\b/gi) ?? []),
	];

	it.each(inside)('%s says subscriber, never member or consumer', (file) => {
		expect(others(readFileSync(join(root, file), 'utf8'), declaredIn(file))).toEqual([]);
	});

	it.each(['docs/stream.md', 'ARCHITECTURE.md'])('%s says subscriber, never member or consumer', (page) => {
		expect(readFileSync(join(root, page), 'utf8').match(/(?<!`)\b(?:consumer|member)s?\b/gi) ?? []).toEqual([]);
	});

	it('the check of subscribers notices another word for one', () => {
		expect(inside.length).toBeGreaterThan(50);
		expect(others('/** One consumer. */ f(); // of its members', ['members', 'remember', 'consumer'])).toEqual([
			'members',
			'consumer',
			'members',
		]);
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
	])('types have different names in %s', (_, part) => {
		expect(part.flatMap(typesOf).length).toBeGreaterThan(50);
		expect(namedTwice(part)).toEqual([]);
	});
});

/**
 * A title that begins so makes sense with its describe alone: so does one whose verb has many for its subject, and one of
 * two words.
 */
const halfSentence =
	/^(?:(?:is|are|was|were|has|have|may|might|of|that|which|who|whose|and|or|with|where|when|while|by|none|only)\b|(?:compile|follow|know|leave|link|name|need|prove|read|say|show|state|take|tell|would|cannot)\b|\w+( \w+)?$)/i;

const takesFor = /\btakes?\b.+\bfor\b/;

/** The titles of a test file. */
function titlesIn(text: string): string[] {
	const source = ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.Latest, true);
	const titles: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node)) {
			const [title] = node.arguments;
			const isTest = /^it(?:\.(?:each|concurrent)\b[\s\S]*[)`])?$/.test(node.expression.getText(source));
			if (isTest && title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
				titles.push(title.getText(source).slice(1, -1));
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return titles;
}

describe('a title says alone what is true', () => {
	const tests = files.filter((file) => file.endsWith('.test.ts'));

	it.each(tests)('%s has whole sentences as titles', (file) => {
		expect(titlesIn(readFileSync(join(root, file), 'utf8')).filter((title) => halfSentence.test(title))).toEqual([]);
	});

	// It may take two seconds for something, but nothing takes an order for another one: it treats it as another one.
	it.each(tests)('%s treats a thing as another in its titles, and does not take it for another', (file) => {
		const titles = titlesIn(readFileSync(join(root, file), 'utf8'));
		expect(titles.filter((title) => takesFor.test(title) && !/seconds?|minutes?/.test(title))).toEqual([]);
	});

	it('finds titles with and without a table, and notices half sentences among them', () => {
		const titles = titlesIn(
			"it('is old', f); it.each([1])('of %s', f); it(`reads ${a}`, f); it.each`a`('goes', f); bit('is', f)",
		);
		expect(titles).toEqual(['is old', 'of %s', 'reads ${a}', 'goes']);
		expect(titles.filter((title) => halfSentence.test(title))).toEqual(['is old', 'of %s', 'goes']);
		expect(tests.length).toBeGreaterThan(300);
	});
});
