/** Builds what n8n loads: a file for each class, the bundle they share once they run, icons, codex files and output schemas. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import esbuild from 'esbuild';
import { writeInventory } from './inventory.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => path.join(root, ...parts);
const core = (file) => at('packages/core/src', file);

/** n8n formats a node's version with three parts when it looks for schemas. */
const SCHEMA_VERSION = 'v1.0.0';

/** Characters in a line of what is shortened: Node prints the whole line of an error that nobody caught. */
const LINE_LIMIT = 2_000;

const common = {
	bundle: true,
	platform: 'node',
	target: 'es2022',
	external: ['n8n-workflow'],
	alias: {
		'@partner-exchange/core': core('index.ts'),
		'@partner-exchange/core/adapters': core('adapters.ts'),
		'@partner-exchange/core/catalogue': core('catalogue/index.ts'),
	},
	legalComments: 'inline',
	sourcesContent: false,
	absWorkingDir: root,
	logLevel: 'warning',
};

/** `readable` keeps lines and names, for a debugger that stops at a line. */
export async function build({ readable = false } = {}) {
	await rm(at('dist'), { recursive: true, force: true });
	await Promise.all([bundle(readable), entries(), icons(), codex(), schemas()]);
}

async function bundle(readable) {
	const { metafile, outputFiles } = await modules();
	const { code, map } = await shorten(outputFiles[0].text, readable);
	// The map is not published, so the bundle does not name it; a debugger gets both (scripts/hosts/package.ts).
	await put('nodes/bundle.js', code);
	await put('nodes/bundle.js.map', map);
	await writeInventory(at('dist'), JSON.parse(await readFile(at('package.json'), 'utf8')), [metafile]);
}

/** One bundle, because the nodes share their streams through module state. */
const modules = async () =>
	await esbuild.build({
		...common,
		entryPoints: [at('nodes/index.ts')],
		metafile: true,
		write: false,
		format: 'cjs',
		outfile: at('dist/nodes/bundle.js'),
		sourcemap: 'inline',
	});

/**
 * Takes spaces and the names of local variables away. Names at the top of a module stay, because each module is printed
 * as a script of its own here. So a stack trace still says which function it came through.
 */
const shorten = async (text, readable) => {
	const { code, map } = await esbuild.transform(text, {
		minify: !readable,
		lineLimit: LINE_LIMIT,
		platform: common.platform,
		target: common.target,
		legalComments: common.legalComments,
		sourcemap: 'external',
		sourcesContent: false,
		sourcefile: 'bundle.js',
	});
	return { code: code.replaceAll(/require\("[^"]*"\)/g, withWholeName), map };
};

/** A line may end within a string. What reads the bundle for what it requires, as n8n's scanner does, wants the name whole. */
const withWholeName = (call) => (call.includes('\\\n') ? call.replace('\\\n', '').replace('(', '(\n') : call);

/**
 * n8n loads each class from a file of its own name. What it reads at its start is made here: the file holds it as text,
 * and asks for the bundle when the class is first used.
 */
async function entries() {
	const names = await nodeNames();
	const files = [...names.map((name) => `nodes/${name}/${name}.node`), 'credentials/PartnerExchangeApi.credentials'];
	const classes = await evaluated(...files.map((file) => `./${file}.ts`));
	await Promise.all(files.map((file) => put(`${file}.js`, entryOf(classes[path.basename(file).split('.')[0]]))));
}

function entryOf(made) {
	const { methods = {}, ...told } = new made();
	const verbs = Object.getOwnPropertyNames(made.prototype).filter((name) => name !== 'constructor');
	const later = (...names) => `(...given) { return require("../bundle.js").${names.join('.')}.apply(this, given); }`;
	const groups = Object.entries(methods).map(
		([group, of]) => `${group}: { ${Object.keys(of).map((name) => `${name}${later(group, name)}`)} }`,
	);
	return [
		'"use strict";',
		...Object.entries(told).map(([name, value]) => `const ${name} = JSON.parse(${quoted(JSON.stringify(value))});`),
		`exports.${made.name} = class ${made.name} {`,
		...Object.keys(told).map((name) => `${name} = ${name};`),
		...(groups.length > 0 ? [`methods = { ${groups} };`] : []),
		...verbs.map(
			(verb) => `async ${verb}() { return await require("../bundle.js").${verb}(this, description.properties); }`,
		),
		'};\n',
	].join('\n');
}

const quoted = (text) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

const icons = () => cp(at('icons'), at('dist/icons'), { recursive: true });

async function codex() {
	const names = await nodeNames();
	await Promise.all(
		names.map((name) =>
			cp(at(`nodes/${name}/${name}.node.json`), at(`dist/nodes/${name}/${name}.node.json`), { recursive: true }),
		),
	);
}

/** What some of the source says when it runs. */
async function evaluated(...files) {
	const contents = files.map((file) => `export * from '${file}';`).join('\n');
	const { outputFiles } = await esbuild.build({
		...common,
		stdin: { contents, resolveDir: root },
		format: 'cjs',
		write: false,
	});
	const module = { exports: {} };
	compileFunction(outputFiles[0].text, ['module', 'require'])(module, createRequire(import.meta.url));
	return module.exports;
}

async function schemas() {
	const { previews } = await evaluated('./build/schemas.ts');
	await Promise.all(
		previews().map(({ node, path: file, schema }) => {
			// A node without operations has one schema, in a file of the version's own name.
			const place = file.startsWith('.') ? `${SCHEMA_VERSION}${file}` : `${SCHEMA_VERSION}/${file}`;
			return put(`nodes/${node}/__schema__/${place}`, `${JSON.stringify(schema, null, '\t')}\n`);
		}),
	);
}

const nodeNames = async () =>
	(await readdir(at('nodes'), { withFileTypes: true }))
		.filter((entry) => entry.isDirectory() && entry.name !== 'shared')
		.map(({ name }) => name);

async function put(file, text) {
	await mkdir(path.dirname(at('dist', file)), { recursive: true });
	await writeFile(at('dist', file), text);
}
