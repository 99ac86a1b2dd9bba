/** Builds what n8n loads: one bundle, thin entry files that share it, icons, codex files and output schemas. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
 * Takes spaces and the names of local variables away. What stands at the top of a module keeps its name, because it is
 * printed as a script of its own here, so that a stack trace still says which function it came through.
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

/** n8n loads each class from a file of its own name. */
async function entries() {
	const names = await nodeNames();
	await Promise.all([
		...names.map((name) => put(`nodes/${name}/${name}.node.js`, reexport(name, '../bundle.js'))),
		put('credentials/PartnerExchangeApi.credentials.js', reexport('PartnerExchangeApi', '../nodes/bundle.js')),
	]);
}

const reexport = (name, from) => `"use strict";\nexports.${name} = require("${from}").${name};\n`;

const icons = () => cp(at('icons'), at('dist/icons'), { recursive: true });

async function codex() {
	const names = await nodeNames();
	await Promise.all(
		names.map((name) =>
			cp(at(`nodes/${name}/${name}.node.json`), at(`dist/nodes/${name}/${name}.node.json`), { recursive: true }),
		),
	);
}

async function schemas() {
	const { outputFiles } = await esbuild.build({
		...common,
		entryPoints: [at('build/schemas.ts')],
		format: 'esm',
		write: false,
	});
	const source = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
	const { previews } = await import(source);
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
