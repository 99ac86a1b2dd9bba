/** Bundles the console page into files the server hands out as they are: no inline script, nothing from another host. */
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';

const sandbox = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(sandbox, 'console');
const libraryFolder = path.dirname(createRequire(import.meta.url).resolve('lightweight-charts/package.json'));

export async function build(output = path.join(sandbox, 'dist', 'console')) {
	await mkdir(output, { recursive: true });
	await bundle({
		entryPoints: [
			{ in: path.join(source, 'main.ts'), out: 'console' },
			{ in: path.join(source, 'console.css'), out: 'console' },
		],
		outdir: output,
		// Read from the source, so that the page can be built before anything else is.
		alias: { '@partner-exchange/core/catalogue': path.join(sandbox, '..', 'core', 'src', 'catalogue', 'index.ts') },
		bundle: true,
		minify: true,
		format: 'iife',
		platform: 'browser',
		target: ['chrome123', 'firefox120', 'safari17.5'],
		// The chart library's licence asks for its notice; this keeps it with the bundle.
		legalComments: 'eof',
		charset: 'utf8',
		logLevel: 'warning',
	});
	// What is published carries the chart library, and so its licence.
	await copyFile(path.join(libraryFolder, 'LICENSE'), path.join(output, 'lightweight-charts.LICENSE'));
	for (const file of ['index.html', 'icon.svg']) {
		await copyFile(path.join(source, file), path.join(output, file));
	}
}
