/** Builds what is published: the core, the sandbox, the Node-RED package and the n8n package at the root. */
const { existsSync } = require('node:fs');
const { copyFile, rm } = require('node:fs/promises');
const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { parallel, series } = require('gulp');

const run = promisify(execFile);
const at = (...parts) => path.join(__dirname, ...parts);
/** Compilers write their findings to standard output, where a failed build needs them. */
const node = async (script, ...args) => {
	try {
		await run(process.execPath, [at('node_modules', script), ...args], { cwd: __dirname, maxBuffer: 1 << 24 });
	} catch (error) {
		throw new Error(`${script} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
	}
};
const compile = (name, ...flags) => node('typescript/bin/tsc', '-p', `packages/${name}`, ...flags);
const evaluate = (script) => node('tsx/dist/cli.mjs', script);

const outputs = ['dist', 'packages/core/dist', 'packages/sandbox/dist', 'packages/node-red/dist'];

async function clean() {
	await Promise.all(outputs.map((folder) => rm(at(folder), { recursive: true, force: true })));
}

/** For `require`, and as modules for bundlers. */
const coreWith = async (...flags) => {
	await compile('core', ...flags);
	await (await import('./packages/core/build/esm.mjs')).build(require('./packages/core/package.json'));
};
const core = async () => await coreWith();

/** npm packs a licence that lies beside the manifest. */
async function licences() {
	await Promise.all(
		['core', 'sandbox', 'node-red'].map((name) => copyFile(at('LICENSE'), at('packages', name, 'LICENSE'))),
	);
}

async function sandbox() {
	await compile('sandbox');
}

/** The sandbox's page: scripts and styles bundled into files the server hands out as they are. */
async function consolePage() {
	if (existsSync(at('packages/sandbox/build/console.mjs')))
		await (await import('./packages/sandbox/build/console.mjs')).build();
}

/** Runtime bundle, editor forms, help and locales. */
async function nodeRed() {
	await (await import('./packages/node-red/build/bundle.mjs')).build();
	await evaluate('packages/node-red/build/generate.ts');
}

/** One bundle with thin entry files, icons, codex files and output schemas. */
async function n8n() {
	await (await import('./build/n8n.mjs')).build();
}

/** The same with lines and names kept, so that a debugger can stop in it. */
async function n8nReadable() {
	await (await import('./build/n8n.mjs')).build({ readable: true });
}

/** The reference pages, written from the catalogue. */
async function docs() {
	await evaluate('scripts/docs.ts');
}

const build = series(core, parallel(licences, sandbox, nodeRed, n8n), consolePage);

/** What a developer waits for at every change: what one host loads. Types are the editor's business. */
const quickly = (hostPackage) =>
	series(
		async () => await coreWith('--noCheck'),
		parallel(licences, async () => await compile('sandbox', '--noCheck'), hostPackage),
		consolePage,
	);

module.exports = {
	default: build,
	build: series(clean, build),
	'quickly-node-red': quickly(nodeRed),
	'quickly-n8n': quickly(n8nReadable),
	clean,
	core,
	sandbox,
	console: consolePage,
	nodeRed,
	n8n,
	docs,
};
