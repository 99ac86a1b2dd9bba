/**
 * The same entries as modules, so that a bundler takes of them what is used. What is itself no module, such as ws, is laid
 * in with a `require` of its own: a bundle of modules has none, and would end at its start.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { writeInventory } from '../../../build/inventory.mjs';
import { withoutUnused } from '../../../build/unused.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Each entry of the manifest: the name of its module, and the file it is made of. */
const entriesOf = ({ exports: entries }) =>
	Object.values(entries).map(({ import: module, default: script }) => [
		path.basename(module.default, '.mjs'),
		script.replace(/^\.\/dist\/(.+)\.js$/, '$1'),
	]);

export async function build(owner) {
	const entries = entriesOf(owner);
	const { metafile } = await bundle({
		// Sums are a piece of their own, so that whoever takes one gets no client with it.
		entryPoints: Object.fromEntries(
			[...entries, ['decimal', 'decimal']].map(([name, file]) => [name, at(`src/${file}.ts`)]),
		),
		outdir: at('dist/esm'),
		outExtension: { '.js': '.mjs' },
		bundle: true,
		splitting: true,
		metafile: true,
		absWorkingDir: at('../..'),
		format: 'esm',
		platform: 'node',
		plugins: [withoutUnused],
		target: 'node20',
		logLevel: 'warning',
		legalComments: 'inline',
		// A module already, and all that a sum needs.
		external: ['big.js', 'bufferutil', 'utf-8-validate'],
	});
	for (const file of Object.keys(metafile.outputs)) await completed(at(`../../${file}`));
	// The types are those of the other form, seen from a module.
	for (const [name, file] of entries) await writeFile(at(`dist/esm/${name}.d.mts`), `export * from '../${file}.js';\n`);
	await writeInventory(at('dist'), owner, [metafile]);
}

/**
 * A file gets its `require` only where something in it asks for one, so that what needs nothing of Node stays as it is.
 * Imports for effects alone are dropped: no file of the core has any, as its manifest says.
 */
async function completed(file) {
	const text = (await readFile(file, 'utf8')).replaceAll(/^import "\.\/chunk-\w+\.mjs";\n/gm, '');
	const given = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";
	await writeFile(file, (text.includes('typeof require') ? given : '') + text);
}
