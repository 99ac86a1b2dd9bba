import { startSandbox } from '@partner-exchange/sandbox';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { newFolder } from '../support/folder';
import { tarballOf } from '../support/tarball';
import { forAll } from '../support/opened';

const run = promisify(execFile);
const root = resolve(__dirname, '../..');
const examples = join(root, 'examples/core');
const scripts = readdirSync(examples).filter((name) => name.endsWith('.ts'));

/** Everything that TypeScript can be strict about in a script. The declarations of our packages are checked, too. */
const strictest: ts.CompilerOptions = {
	...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, isolatedModules: true },
	...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
	...{ noFallthroughCasesInSwitch: true, noUnusedLocals: true, noUnusedParameters: true, allowUnreachableCode: false },
	...{ target: ts.ScriptTarget.ES2022, types: ['node'], skipLibCheck: false },
};
/** The scripts, and the declarations of the core and of the sandbox. */
const OURS = ['/packed-core-', '/packages/sandbox/'];
/** How a script is written for each kind of module, and how it is compiled. */
const kinds = {
	'an ES module': { extension: 'mts', module: ts.ModuleKind.NodeNext, resolution: ts.ModuleResolutionKind.NodeNext },
	'a CommonJS module': { extension: 'ts', module: ts.ModuleKind.CommonJS, resolution: ts.ModuleResolutionKind.Node10 },
};
type Kind = keyof typeof kinds;

/** The words with which a script overrules the compiler. */
function overrulings(name: string): string[] {
	const source = ts.createSourceFile(name, readFileSync(join(examples, name), 'utf8'), ts.ScriptTarget.ES2022, true);
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node))
			found.push(node.getText());
		if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(node.parent.getText());
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

describe('the packed core in a folder of its own', () => {
	let folder: string;
	const sandbox = forAll(() => startSandbox({ marketMaker: true }));
	beforeAll(async () => {
		folder = newFolder();
		const core = join(folder, 'node_modules/@partner-exchange/core');
		mkdirSync(core, { recursive: true });
		await run('tar', ['-xzf', await tarballOf(join(root, 'packages/core')), '-C', core, '--strip-components=1']);
		const { dependencies } = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8')) as { dependencies: object };
		mkdirSync(join(folder, 'node_modules/@types'));
		mkdirSync(join(folder, 'node_modules/@opentelemetry'));
		const beside = ['@types/node', 'undici-types', '@opentelemetry/api', '@partner-exchange/sandbox'];
		for (const name of [...Object.keys(dependencies), ...beside])
			symlinkSync(resolve(root, 'node_modules', name), join(folder, 'node_modules', name));
	});

	/** Writes the examples as modules of a kind, and says what the compiler says. */
	function compiled(kind: Kind): string[] {
		const { extension, module, resolution } = kinds[kind];
		const source = join(folder, extension);
		mkdirSync(source);
		const suffix = { mts: '.mjs', ts: '' }[extension];
		const files = scripts.map((name) => {
			const file = join(source, name.replace(/ts$/, extension));
			writeFileSync(
				file,
				readFileSync(join(examples, name), 'utf8').replace("from './account'", `from './account${suffix}'`),
			);
			return file;
		});
		const options = { ...strictest, module, moduleResolution: resolution, outDir: join(folder, `${extension}-js`) };
		const program = ts.createProgram(files, { ...options, ignoreDeprecations: '5.0' });
		// One by one, because an emit of the program checks the declarations of TypeScript and of Node, too.
		for (const file of files) program.emit(program.getSourceFile(file));
		const ours = program.getSourceFiles().filter(({ fileName }) => OURS.some((place) => fileName.includes(place)));
		return [
			...program.getOptionsDiagnostics(),
			...program.getGlobalDiagnostics(),
			...program.getSyntacticDiagnostics(),
			...ours.flatMap((file) => program.getSemanticDiagnostics(file)),
		].map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
	}

	it.each(Object.keys(kinds) as Kind[])(
		'takes every example under the strictest flags as %s, which then buys once',
		async (kind) => {
			expect(compiled(kind)).toEqual([]);
			const { extension } = kinds[kind];
			const script = join(folder, `${extension}-js/place-and-wait.${extension.replace('t', 'j')}`);
			const env = { ...process.env, PARTNER_EXCHANGE_BASE_URL: sandbox.baseUrl };
			expect((await run(process.execPath, [script], { env })).stdout).toMatch(/^filled: 10\.00 USD at \d+\.\d+$/m);
		},
	);

	it('overrules the compiler in no example', () => {
		expect(scripts.flatMap(overrulings)).toEqual([]);
	});
});
