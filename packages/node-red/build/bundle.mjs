/** One file for the runtime and one for the editor, with everything they use inside, so that installing needs no network. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { writeInventory } from '../../../build/inventory.mjs';
import { withoutUnused } from '../../../build/unused.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const core = (path) => fileURLToPath(new URL(`../../core/src/${path}`, import.meta.url));

const common = {
	bundle: true,
	metafile: true,
	absWorkingDir: at('../..'),
	logLevel: 'warning',
	legalComments: 'inline',
	alias: {
		'@partner-exchange/core': core('index.ts'),
		'@partner-exchange/core/adapters': core('adapters.ts'),
		'@partner-exchange/core/catalogue': core('catalogue/index.ts'),
		'@partner-exchange/core/node': core('node.ts'),
	},
};

export async function build() {
	const { metafile } = await runtime();
	const owner = JSON.parse(await readFile(at('package.json'), 'utf8'));
	await writeInventory(at('dist'), owner, [metafile, (await editor()).metafile]);
}

const runtime = async (more = {}) =>
	await bundle({
		...common,
		entryPoints: [at('src/index.ts')],
		outfile: at('dist/partner-exchange.js'),
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		// The map is not published, so the bundle does not name it.
		sourcemap: 'external',
		sourcesContent: false,
		plugins: [withoutUnused],
		// ws takes these two for speed where they are installed, and does without them where they are not.
		external: ['bufferutil', 'utf-8-validate'],
		...more,
	});

/** The editor's part, as text to be put into the html file. */
export async function editorScript() {
	return (await editor()).outputFiles[0].text;
}

const editor = async () =>
	await bundle({
		...common,
		entryPoints: [at('src/editor/index.ts')],
		platform: 'browser',
		format: 'iife',
		globalName: 'partnerExchange',
		target: 'es2022',
		// Of the core only what asks no node of Node is left; anything else would fail when the editor opens.
		external: ['node:*'],
		write: false,
	});
