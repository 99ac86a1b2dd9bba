import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

const sources = [
	'{nodes,credentials,build,test,scripts,examples,bench}/**/*.ts',
	'packages/*/{src,build,console}/**/*.ts',
];
const n8nSources = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** What a pure module must be given instead of reaching for it. */
const impureGlobals = [
	...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'queueMicrotask'],
	...[
		'process',
		'global',
		'globalThis',
		'console',
		'performance',
		'crypto',
		'fetch',
		'WebSocket',
		'XMLHttpRequest',
		'require',
	],
];
const impureProperties = [
	{ object: 'Date', property: 'now', message: 'Take the clock as an argument.' },
	{ object: 'Math', property: 'random', message: 'Take the randomness as an argument.' },
	{ object: 'AbortSignal', property: 'timeout', message: 'Take the clock as an argument.' },
];
const now = 'Take the clock as an argument; a Date is only made from a given time.';

/** The lines of a function without those of the functions inside it, each of which is counted by itself. */
const ownLines = {
	create(context) {
		const nested = new Map();
		const linesOf = ({ loc }) => loc.end.line - loc.start.line + 1;
		const leave = (node) => {
			const own = linesOf(node) - (nested.get(node) ?? 0);
			const [max] = context.options;
			if (own > max)
				context.report({ node, message: `This function has ${own} lines of its own; at most ${max} read well.` });
			const outer = context.sourceCode.getAncestors(node).findLast(({ type }) => /Function/.test(type));
			if (outer) nested.set(outer, (nested.get(outer) ?? 0) + linesOf(node) - 1);
		};
		return { ':function:exit': leave };
	},
	meta: { schema: [{ type: 'integer' }] },
};

/** No promise is thrown away with `void`, in an expression either, where no-floating-promises does not look. */
const noVoidPromise = {
	create(context) {
		const { getTypeAtLocation } = context.sourceCode.parserServices;
		const isPromise = (node) => getTypeAtLocation(node).getProperty('then') !== undefined;
		const endsIn = ({ type, callee, arguments: handlers }) =>
			type === 'CallExpression' &&
			callee.type === 'MemberExpression' &&
			(callee.property.name === 'catch' || (callee.property.name === 'then' && handlers.length === 2));
		return {
			'UnaryExpression[operator="void"]'({ argument }) {
				if (isPromise(argument) && !endsIn(argument))
					context.report({
						node: argument,
						message: 'A host exits on a rejection nobody handles: use `inBackground`.',
					});
			},
		};
	},
	meta: { schema: [] },
};

/** What the compiler says, of the program that the rules ask for types: making it a second time would cost as much again. */
const types = {
	create(context) {
		const { program } = context.sourceCode.parserServices;
		return {
			Program() {
				const file = program.getSourceFile(context.filename);
				for (const { start, code, messageText } of program.getSemanticDiagnostics(file))
					context.report({
						loc: context.sourceCode.getLocFromIndex(start),
						message: `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
					});
			},
		};
	},
	meta: { schema: [] },
};

/** A literal spread into another one is the properties it has, hidden. */
const noSpreadOfLiteral = {
	create: (context) => ({
		'ObjectExpression > SpreadElement > ObjectExpression': (node) =>
			context.report({ node, message: 'Write these properties into the object itself.' }),
	}),
};

/** Several variables from a list that is made for them have their values far from their names. */
const noLetOfList = {
	create: (context) => ({
		'VariableDeclaration[kind="let"] > VariableDeclarator[id.type="ArrayPattern"][init.type="ArrayExpression"]': (
			node,
		) => context.report({ node, message: 'Declare each variable by itself.' }),
	}),
};

/** An engine takes only so many arguments, and a service decides how long its pages are: loop over them, or concat. */
const noSpreadOfMany = {
	create: (context) => ({
		'CallExpression[callee.property.name=/^(?:push|unshift|splice|min|max)$/] > SpreadElement': (node) =>
			context.report({ node, message: 'Spread nothing whose length the service decides: loop over it, or concat.' }),
	}),
	meta: { schema: [] },
};

export default tseslint.config(
	{
		ignores: ['**/dist/**', '**/node_modules/**', '.sandbox/**', '**/*.d.ts', 'packages/core/src/client/methods.ts'], // which npm run docs writes
	},

	{
		files: sources,
		ignores: ['test/**'],
		plugins: { regexp },
		rules: {
			// Text from outside meets these patterns, and must not choose how long they take.
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
		},
	},

	{
		files: sources,
		extends: [tseslint.configs.recommendedTypeChecked],
		plugins: {
			house: {
				rules: {
					types,
					'own-lines': ownLines,
					'no-void-promise': noVoidPromise,
					'no-spread-of-many': noSpreadOfMany,
					'no-spread-of-literal': noSpreadOfLiteral,
					'no-let-of-list': noLetOfList,
				},
			},
		},
		languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
		rules: {
			'house/types': 'error',
			'max-lines': ['error', { max: 400 }],
			'house/own-lines': ['error', 60],
			'@typescript-eslint/max-params': ['error', { max: 5 }],
			// Values from forms, messages and the wire are unknown by nature; turning them into text is how they are read.
			'@typescript-eslint/no-base-to-string': 'off',
			// Functions of plain objects have no `this` to lose, and a port may have to be async without waiting for anything.
			'@typescript-eslint/unbound-method': 'off',
			'@typescript-eslint/require-await': 'off',
			'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' }],
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
			'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
		},
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			'house/own-lines': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
			'no-restricted-properties': [
				'error',
				...['it', 'test', 'describe'].flatMap((object) =>
					['only', 'skip', 'todo'].map((property) => ({ object, property, message: 'Every test runs.' })),
				),
			],
		},
	},

	{
		files: ['packages/core/src/**/*.ts'],
		ignores: ['packages/core/src/node.ts', 'packages/core/src/node/**'],
		rules: {
			'no-restricted-globals': ['error', ...impureGlobals],
			'no-restricted-properties': ['error', ...impureProperties],
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							group: ['node:*', '!node:crypto', 'ws', 'axios', 'n8n-*', '**/node', '**/node/*'],
							message: 'The core is pure.',
						},
					],
				},
			],
			'no-restricted-syntax': [
				'error',
				{ selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
				{ selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: now },
				{ selector: 'CallExpression[callee.name="Date"]', message: now },
			],
		},
	},

	{
		files: ['packages/{core,node-red,sandbox}/src/**/*.ts', 'nodes/**/*.ts', 'credentials/**/*.ts'],
		ignores: ['packages/node-red/src/editor/**'],
		rules: {
			// A host exits on a rejection nobody handles: work that nobody awaits runs by `inBackground`.
			'@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
			'house/no-void-promise': 'error',
		},
	},
	{
		files: ['packages/*/src/**/*.ts', 'nodes/**/*.ts', 'credentials/**/*.ts', 'scripts/**/*.ts'],
		rules: { 'house/no-spread-of-literal': 'error' },
	},
	{
		files: ['packages/*/{src,console}/**/*.ts', 'nodes/**/*.ts', 'scripts/**/*.ts'],
		ignores: ['packages/core/src/stream/**'],
		rules: { 'house/no-let-of-list': 'error' },
	},
	{
		files: ['packages/{core,node-red}/src/**/*.ts', 'nodes/**/*.ts'],
		ignores: ['packages/core/src/stream/**'],
		rules: { 'house/no-spread-of-many': 'error' },
	},
	{
		files: ['packages/node-red/src/**/*.ts'],
		ignores: ['packages/node-red/src/{editor/**,host/host-node.ts}'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{ selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
				...['ThisExpression', 'MemberExpression[property.name="self"]', 'Identifier[name="self"]'].map((node) => ({
					selector: `CallExpression[callee.property.name=/^(on|send|error|warn|status|createNode)$/] > MemberExpression > ${node}.object`,
					message: 'Use the node of host/host-node.ts, which handles what Node-RED throws.',
				})),
				{
					selector: 'CallExpression[callee.property.name="createNode"]',
					message: 'Use createHostNode, which handles what Node-RED throws.',
				},
			],
		},
	},

	// The rules n8n's own scanner applies; `npm run scan` runs that scanner itself, on the source and the packed package.
	{ ...n8nCommunityNodesPlugin.configs.recommended, files: [...n8nSources, 'package.json'] },
	{
		files: [...n8nSources, 'package.json'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		languageOptions: { parser: tseslint.parser },
		rules: { 'no-console': 'error' },
	},
	{
		files: ['package.json'],
		languageOptions: { parserOptions: { extraFileExtensions: ['.json'] } },
		rules: n8nNodesBase.configs.community.rules,
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// Meant for n8n's own repository, where the documentation has a fixed place.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			// The community rule of the same purpose looks closer.
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// Inputs and outputs are named by n8n's enum.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			// The service does have maximum limits.
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
);
