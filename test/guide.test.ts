import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');

const madeUpOperation = (run: string): string => `operation({
		label: 'Frame Order',
		action: 'Frame an order',
		help: 'Hang an order on the wall',
		run: ${run},
		access: 'orderExecute',
		input: { pair_id: pair },
		output: { count: 'integer' },
		list: { at: 'frames', identifiedByFirstOf: ['count'], paging: 'none' },
		palette: 'cancel-order',
	})`;

const ORDERS = 'packages/core/src/catalogue/orders.ts';
const TOPICS = 'packages/core/src/catalogue/topics.ts';
const ERRORS = 'packages/core/src/errors.ts';
const ACTIONS = 'packages/sandbox/src/engine/actions.ts';
const FAULTS = 'packages/sandbox/src/server/faults.ts';

interface Addition {
	mark: string;
	text: string;
}

/**
 * The additions to single files, with every other step of the guide left out. Each text is inserted before its mark.
 */
const additions: Readonly<Record<string, readonly Addition[]>> = {
	[ORDERS]: [
		{
			mark: "	'order.get': operation({",
			text: `	'order.frame': ${madeUpOperation("{ via: 'rest', route: 'DELETE /partner/exchange/orders', retry: 'safe' }")},\n`,
		},
		// An intent needs more than this. It is declared separately, because a declaration that fails to compile has no
		// types.
		{
			mark: 'export const orders',
			text: `export const mixed = ${madeUpOperation("{ via: 'intent', kind: 'create' }")};\n`,
		},
	],
	[TOPICS]: [
		{
			mark: '	trades: { label:',
			text: "	'user.sunspots': { label: 'Sunspots', help: 'Sunspots of the account', access: 'walletRead', perPair: false },\n",
		},
	],
	[ERRORS]: [{ mark: '	aborted: {', text: "	sunburnt: { advice: 'Wait for the night', retryable: true },\n" }],
	[ACTIONS]: [{ mark: "	| { kind: 'scenario.stop';", text: "	| { kind: 'order.closeAll'; accountId: string }\n" }],
	[FAULTS]: [
		{
			mark: "	refuse: { about: 'Answers 503",
			text: "	'answer-late': { about: 'Answers after an hour' },\n	'answer-nothing': { about: 'Answers with an empty body', strikes: ['request', 'command', 'event', 'upgrade', 'connection', 'log'] },\n",
		},
	],
};

interface Complaint {
	file: string;
	message: string;
}

/** The compiler's errors for the project with all additions: one compilation, because each takes seconds. */
function complaintsOfTheCompiler(): Complaint[] {
	const read = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => readFileSync(name, 'utf8'));
	const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
	const host = ts.createCompilerHost(options);
	const readFile = host.readFile.bind(host);
	host.readFile = (name) => {
		// No answer here depends on the types of n8n, which bring a third of all text to parse.
		const text = name.includes('/n8n-workflow/') ? '' : readFile(name);
		const added = additions[relative(root, name)] ?? [];
		return added.reduce<string | undefined>((so, { mark, text: more }) => {
			expect(so).toContain(mark);
			return so?.replace(mark, more + mark);
		}, text);
	};
	const requests = fileNames.filter((name) =>
		/packages\/(core|sandbox)\/src|node-red\/build\/words|nodes\/shared\/host\/errors|scripts\/reference\/(errors|methods)|test\/conformance\/operations|test\/fixtures\/requests/.test(
			name,
		),
	);
	const program = ts.createProgram(requests, options, host);
	return program.getSemanticDiagnostics().map(({ file, messageText }) => ({
		file: relative(root, file!.fileName),
		message: ts.flattenDiagnosticMessageText(messageText, '\n'),
	}));
}

describe('what the guide asks for and somebody forgets', () => {
	let complaints: Complaint[];
	beforeAll(() => void (complaints = complaintsOfTheCompiler()));
	/** The files in which the compiler mentions the addition. */
	const naming = (name: string) =>
		[...new Set(complaints.filter(({ message }) => message.includes(name)).map(({ file }) => file))].sort();

	it('the compiler names what is missing for an operation that is added to the catalogue alone', () => {
		expect(naming('order.frame')).toEqual([
			'packages/core/src/client/contract.ts', // the method, which `npm run docs` writes
			'packages/sandbox/src/api/order-routes.ts', // the handler
			'scripts/reference/methods.ts', // what a row of it is called
			'test/conformance/operations.ts', // the case in the suite that runs through every host
			'test/fixtures/requests.ts', // the bytes
		]);
	});

	it('the compiler names what is missing for the second operation of a Node-RED node', () => {
		expect(naming('"cancel-order"')).toEqual(['packages/node-red/build/words.ts']);
	});

	it('the compiler names what the run of an operation lacks', () => {
		expect(naming('via: "intent"')).toEqual([ORDERS]);
	});

	it('the compiler names what is missing for a topic that is added to the catalogue alone', () => {
		expect(naming('user.sunspots')).toEqual([
			'packages/core/src/stream/contract.ts', // what the events carry, for who writes a consumer
			'packages/core/src/stream/sources/sample.ts', // an example, before there is an event
			'packages/core/src/stream/topics/index.ts', // the events
			'packages/sandbox/src/api/stream-topics.ts', // the access, and what the topic begins with
		]);
	});

	it('the compiler names what is missing for an error code that is declared alone', () => {
		expect(naming('sunburnt')).toEqual([
			'nodes/shared/host/errors.ts', // the cause, and whether a trigger waits for its end
			'packages/core/src/wire/attempt.ts', // what the code proves of an attempt
			'scripts/reference/errors.ts', // the meaning, for docs/errors.md
		]);
	});

	it('the compiler names what is missing for an action of the sandbox that is declared alone', () => {
		expect(naming('order.closeAll')).toEqual([ACTIONS]);
	});

	it('the compiler names what is missing for a fault of the sandbox that is declared alone', () => {
		expect(naming('answer-late')).toContain(FAULTS);
	});

	it('the compiler names a fault of the sandbox that nothing carries out', () => {
		expect(naming('answer-nothing')).toEqual(
			expect.arrayContaining([
				'packages/sandbox/src/server/connection.ts',
				'packages/sandbox/src/server/rest.ts',
				'packages/sandbox/src/server/stream.ts',
			]),
		);
		// Once each for open connections, new connections and the log, and twice for commands.
		expect(complaints.filter(({ file }) => file.endsWith('server/stream.ts'))).toHaveLength(5);
	});
});
