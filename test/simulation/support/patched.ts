import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import type { Suite } from './suite';

/** A change of one place of the source, made only in the copy that a simulation runs. */
export interface Patch {
	/** From `packages/core/src`, or from the root where it begins with `nodes/` or `packages/`. */
	file: string;
	/** The text to replace. It stands in the file exactly once. */
	find: string;
	replace: string;
}

const SOURCES = 'packages/core/src';

export const pathOf = ({ file }: Patch): string => (/^(nodes|packages)\//.test(file) ? file : join(SOURCES, file));

/** A suite whose client has a patch. The name of the planted defect is in the error if the text is gone. */
export async function patchedSuite(entry: string, exported: string, name: string, patch: Patch): Promise<Suite> {
	const compiled = { exports: {} as Record<string, Suite> };
	const text = await bundled(entry, { name, patch });
	const run = compileFunction(text, ['module', 'exports', 'require']) as (...args: unknown[]) => void;
	run(compiled, compiled.exports, require);
	return compiled.exports[exported]!;
}

/** A file with all it imports as one CommonJS text, with the planted changes. */
export async function bundled(entry: string, ...planted: { name: string; patch: Patch }[]): Promise<string> {
	const { outputFiles, metafile } = await build({
		entryPoints: [entry],
		bundle: true,
		platform: 'node',
		tsconfig: 'tsconfig.json',
		external: ['esbuild'],
		logLevel: 'silent',
		write: false,
		metafile: true,
		plugins: planted.map(({ name, patch }) => patching(name, patch)),
	});
	// A file that nothing imports any more is never loaded, and so never patched.
	for (const { name, patch } of planted)
		if (!Object.keys(metafile.inputs).includes(pathOf(patch)))
			throw new Error(`The file of ${name}, ${patch.file}, is no part of the client`);
	return outputFiles[0]!.text;
}

function patching(name: string, patch: Patch): Plugin {
	const path = join(process.cwd(), pathOf(patch));
	return {
		name: 'patch',
		setup: ({ onLoad }) => {
			// To be asked of every file would take longer than to bundle them.
			onLoad({ filter: new RegExp(`^${path.replace(/\W/g, '\\$&')}$`) }, () => ({
				contents: patched(name, patch, readFileSync(path, 'utf8')),
				loader: 'ts',
			}));
		},
	};
}

/** The source with the patch. Throws if the text to replace stands in it never or several times. */
export function patched(name: string, { file, find, replace }: Patch, source: string): string {
	const parts = source.split(find);
	if (parts.length === 2) return parts.join(replace);
	const where = parts.length === 1 ? 'no longer stands' : `stands ${parts.length - 1} times`;
	throw new Error(`The text of ${name} ${where} in ${file}: "${find}"`);
}
