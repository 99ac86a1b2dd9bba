import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');
const sources = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of the project when a file reads otherwise: the files it names, each with its first message. */
function complaintsAbout(file: string, change: (text: string) => string): Record<string, string> {
	const path = join(root, file);
	const text = readFileSync(path, 'utf8');
	const changed = change(text);
	expect(changed).not.toBe(text);
	const read = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => readFileSync(name, 'utf8'));
	const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
	const host = ts.createCompilerHost(options);
	const parsed = host.getSourceFile.bind(host);
	host.getSourceFile = (name, target) => {
		if (name === path) return ts.createSourceFile(name, changed, target);
		if (!sources.has(name)) sources.set(name, parsed(name, target));
		return sources.get(name);
	};
	const asked = fileNames.filter((name) => /packages\/(core|sandbox)\/src|test\/conformance\/operations/.test(name));
	const program = ts.createProgram(asked, options, host);
	const found = program
		.getSemanticDiagnostics()
		.map(({ file: where, messageText }) => [
			relative(root, where!.fileName),
			ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')[0]!,
		]);
	return Object.fromEntries(found.reverse()) as Record<string, string>;
}

const madeUpOperation = `	'order.cancelAll': operation({
		label: 'Cancel All Orders',
		action: 'Cancel all orders',
		help: 'Ask for the open remainder of every order of a pair to be cancelled',
		run: { via: 'rest', route: 'DELETE /partner/exchange/orders', retry: 'safe' },
		access: 'orderExecute',
		input: { pair_id: pair },
		output: { count: 'integer' },
		palette: 'cancel-order',
	}),
`;

describe('what the guide asks for and somebody forgets', () => {
	it('is named by the compiler when an operation is added to the catalogue alone', () => {
		const complaints = complaintsAbout('packages/core/src/catalogue/orders.ts', (text) =>
			text.replace("	'order.get': operation({", `${madeUpOperation}	'order.get': operation({`),
		);
		expect(Object.keys(complaints).sort()).toEqual([
			'packages/sandbox/src/api/routes.ts', // its handler
			'test/conformance/operations.ts', // its case in the suite that every host runs
		]);
		for (const complaint of Object.values(complaints)) expect(complaint).toContain('order.cancelAll');
	});

	it('is named by the compiler when an operation lacks what its way of being carried out needs', () => {
		const mixed = madeUpOperation.replace(/run: {.*}/, "run: { via: 'intent', kind: 'create' }");
		const complaints = complaintsAbout('packages/core/src/catalogue/orders.ts', (text) =>
			text.replace("	'order.get': operation({", `${mixed}	'order.get': operation({`),
		);
		expect(complaints['packages/core/src/catalogue/orders.ts']).toBeDefined();
	});

	it('is named by the compiler when a topic is added to the catalogue alone', () => {
		const complaints = complaintsAbout('packages/core/src/catalogue/topics.ts', (text) =>
			text.replace(
				'	trades: { label:',
				"	'user.balances': { label: 'Balances', help: 'Balance updates', access: 'walletRead', perPair: false },\n	trades: { label:",
			),
		);
		expect(Object.keys(complaints)).toEqual(['packages/core/src/stream/topics/index.ts']);
		expect(complaints['packages/core/src/stream/topics/index.ts']).toContain('user.balances');
	});

	it('is named by the compiler when an action of the sandbox is declared alone', () => {
		const complaints = complaintsAbout('packages/sandbox/src/engine/actions.ts', (text) =>
			text.replace(
				"	| { kind: 'scenario.stop';",
				"	| { kind: 'order.cancelAll'; accountId: string }\n	| { kind: 'scenario.stop';",
			),
		);
		expect(Object.keys(complaints)).toEqual(['packages/sandbox/src/engine/actions.ts']);
	});

	it('is named by the compiler when a fault of the sandbox is declared alone', () => {
		const complaints = complaintsAbout('packages/sandbox/src/server/faults.ts', (text) =>
			text.replace("	refuse: 'Answers 503", "	'answer-late': 'Answers after an hour',\n	refuse: 'Answers 503"),
		);
		expect(Object.keys(complaints)).toEqual(['packages/sandbox/src/server/faults.ts']);
		expect(complaints['packages/sandbox/src/server/faults.ts']).toContain('answer-late');
	});
});
