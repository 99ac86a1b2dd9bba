/** The names a user of the core can import, with what their comments say, as the compiler sees them. */
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../..');
const source = join(root, 'packages/core/src');
/** `/adapters` and `/testing` are for this repository's own packages and tests. */
const entries = { '': 'index.ts', '/catalogue': 'catalogue/index.ts', '/node': 'node.ts' };

export interface PublicName {
	name: string;
	entry: string;
	comment: string;
	/** The `@throws` of the comment, as written. */
	throws: string[];
	/** The error codes that it and its members name. */
	codes: string[];
	examples: string[];
	isFunction: boolean;
	/** Members of an interface or class that a comment does not explain. */
	unexplained: string[];
}

const { options } = ts.parseJsonConfigFileContent(
	ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
	ts.sys,
	root,
);

/** Every file is read and parsed once for both programs. */
const host = ts.createCompilerHost(options);
const parsed = new Map<string, ts.SourceFile | undefined>();
const { getSourceFile } = host;
host.getSourceFile = (name, ...more) => {
	if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...more));
	return parsed.get(name);
};

export function publicNames(): PublicName[] {
	const files = Object.values(entries).map((file) => join(source, file));
	const program = ts.createProgram(files, options, host);
	const checker = program.getTypeChecker();
	return Object.entries(entries).flatMap(([entry, file]) => {
		const module = checker.getSymbolAtLocation(program.getSourceFile(join(source, file))!)!;
		return checker.getExportsOfModule(module).map((exported) => {
			const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
			return { entry, ...explained(symbol, checker), name: exported.name };
		});
	});
}

function explained(symbol: ts.Symbol, checker: ts.TypeChecker): Omit<PublicName, 'entry' | 'name'> {
	const type = symbol.valueDeclaration && checker.getTypeOfSymbol(symbol);
	const throws = (symbol.declarations ?? []).flatMap(throwsOf);
	return {
		comment: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
		throws,
		codes: [...throws, ...membersOf(symbol).flatMap(throwsOf)].flatMap((text) =>
			[...text.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!),
		),
		examples: symbol
			.getJsDocTags(checker)
			.filter((tag) => tag.name === 'example')
			.map(({ text }) => ts.displayPartsToString(text)),
		isFunction: (symbol.flags & ts.SymbolFlags.Class) === 0 && (type?.getCallSignatures().length ?? 0) > 0,
		unexplained: membersOf(symbol)
			.filter((member) => checker.getSymbolAtLocation(member.name!)!.getDocumentationComment(checker).length === 0)
			.filter((member) => ts.getJSDocTags(member).length === 0)
			.map((member) => member.name!.getText()),
	};
}

const throwsOf = (declaration: ts.Node): string[] =>
	ts
		.getJSDocTags(declaration)
		.filter(({ tagName }) => tagName.text === 'throws')
		.map((tag) => tag.getText());

const membersOf = (symbol: ts.Symbol): ts.NamedDeclaration[] =>
	(symbol.declarations ?? [])
		.filter((each) => ts.isInterfaceDeclaration(each) || ts.isClassDeclaration(each))
		.flatMap((each): readonly ts.NamedDeclaration[] => [...each.members])
		.filter(({ name }) => name !== undefined);

/** What the compiler says against scripts, which may import from the core and await at their top. */
export function compileErrors(scripts: readonly string[]): string[] {
	const texts = new Map(scripts.map((text, index) => [join(root, `example-${index}.ts`), `${text}\nexport {};\n`]));
	const withScripts: ts.CompilerHost = {
		...host,
		getSourceFile: (name, ...more) => {
			const text = texts.get(name);
			if (text === undefined) return host.getSourceFile(name, ...more);
			return ts.createSourceFile(name, text, ts.ScriptTarget.ES2023);
		},
		fileExists: (name) => texts.has(name) || host.fileExists(name),
		readFile: (name) => texts.get(name) ?? host.readFile(name),
	};
	const lenient = { ...options, module: ts.ModuleKind.ESNext, noUnusedLocals: false };
	const program = ts.createProgram([...texts.keys()], lenient, withScripts);
	return [...texts.keys()]
		.map((name) => program.getSourceFile(name)!)
		.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
		.map(({ messageText, start = 0, file }) => {
			const line = file!.text.slice(0, start).split('\n').at(-1)! + file!.text.slice(start).split('\n')[0]!;
			return `${line.trim()}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
		});
}

/** A script with `import` at its beginning and `await` at its top, as a function of what it may import. */
export function scriptOf(text: string): (load: (name: string) => unknown, log: typeof console.log) => Promise<void> {
	const [, imports = '', rest = ''] = /^((?:import [^;]+;\n)*)([\s\S]*)$/.exec(text) ?? [];
	const { outputText } = ts.transpileModule(`${imports}export async function main(): Promise<void> {\n${rest}\n}`, {
		compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
	});
	// eslint-disable-next-line @typescript-eslint/no-implied-eval -- the text is of this repository
	const run = new Function('require', 'exports', 'console', outputText) as (...args: unknown[]) => void;
	return async (load, log) => {
		const exported: { main?: () => Promise<void> } = {};
		run(load, exported, { log, warn: log });
		await exported.main!();
	};
}
