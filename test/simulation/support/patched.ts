import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { build, transformSync } from 'esbuild';
import type { Suite } from './suite';

/** A change of one place of the source, made only in the copy that a simulation runs. */
export interface Patch {
	/** From `packages/core/src`, or from the root where it begins with `nodes/` or `packages/`. */
	file: string;
	/** The text to replace. The file has it exactly once. */
	find: string;
	replace: string;
}

const SOURCES = 'packages/core/src';

export const pathOf = ({ file }: Patch): string => (/^(nodes|packages)\//.test(file) ? file : join(SOURCES, file));

interface Module {
	exports: Record<string, unknown>;
}

/** A source in the language of a program that Node runs. */
export const commonJs = (source: string): string =>
	transformSync(source, { loader: 'ts', format: 'cjs', target: 'es2023' }).code;

const compiled = (path: string, source: string): Script =>
	new Script(`(function (module, exports, require) {${commonJs(source)}\n})`, { filename: path });

/**
 * A suite whose client has a planted defect, by its name. All files are compiled once. A defect needs its own file and
 * those that import it for itself; all others are shared, and are as fast as what has run for long.
 */
export function patchedSuites(entry: string, exported: string): (name: string, patch: Patch) => Promise<Suite> {
	let imports: Promise<Imports> | undefined;
	/** The last one alone: each is a copy of the client, and is not asked for again once another is. */
	let latest: { name: string; suite: Suite } | undefined;
	const scripts = new Map<string, Script>();
	const shared = new Map<string, Module>();
	return async (name, patch) => {
		imports ??= importsFrom(entry);
		const planting = { name, patch, imports: await imports, scripts, shared, entry };
		if (latest?.name !== name) latest = { name, suite: planted(planting)[exported] as Suite };
		return latest.suite;
	};
}

interface Planting {
	name: string;
	patch: Patch;
	imports: Imports;
	scripts: Map<string, Script>;
	shared: Map<string, Module>;
	entry: string;
}

function planted({ name, patch, imports, scripts, shared, entry }: Planting): Module['exports'] {
	const changed = pathOf(patch);
	// A file that nothing imports any more is never loaded, and so never patched.
	if (!imports.has(changed)) throw new Error(`The file of ${name}, ${patch.file}, is no part of the client`);
	const own = new Map<string, Module>();
	const affected = thoseOn(changed, imports);
	const scriptOf = (path: string): Script => {
		const source = readFileSync(path, 'utf8');
		if (path === changed) return compiled(path, patched(name, patch, source));
		const script = scripts.get(path) ?? compiled(path, source);
		scripts.set(path, script);
		return script;
	};
	const load = (path: string): Module['exports'] => {
		const loaded = affected.has(path) ? own : shared;
		const known = loaded.get(path);
		if (known) return known.exports;
		const module: Module = { exports: {} };
		loaded.set(path, module);
		const run = scriptOf(path).runInThisContext() as (...args: unknown[]) => void;
		run(module, module.exports, (required: string) => {
			const file = imports.get(path)!.get(required);
			// eslint-disable-next-line @typescript-eslint/no-require-imports -- what it has of Node, it has as any program has it
			return file === undefined ? require(required) : load(file);
		});
		return module.exports;
	};
	return load(entry);
}

type Imports = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What each file of a program imports of its other files, by the name it has for them. */
async function importsFrom(entry: string): Promise<Imports> {
	const { metafile } = await build({
		entryPoints: [entry],
		bundle: true,
		platform: 'node',
		tsconfig: 'tsconfig.json',
		packages: 'external',
		logLevel: 'silent',
		write: false,
		metafile: true,
	});
	return new Map(
		Object.entries(metafile.inputs).map(([path, { imports }]) => [
			path,
			new Map(imports.flatMap(({ original, path: file, external }) => (external ? [] : [[original!, file]]))),
		]),
	);
}

/** A file and all that import it, or what imports it. */
function thoseOn(path: string, imports: Imports, found = new Set<string>()): Set<string> {
	found.add(path);
	for (const [other, files] of imports)
		if (!found.has(other) && [...files.values()].includes(path)) thoseOn(other, imports, found);
	return found;
}

/** The source with the patch. Throws if the text to replace is in it never or several times. */
export function patched(name: string, { file, find, replace }: Patch, source: string): string {
	const parts = source.split(find);
	if (parts.length === 2) return parts.join(replace);
	const where = parts.length === 1 ? 'no longer stands' : `stands ${parts.length - 1} times`;
	throw new Error(`The text of ${name} ${where} in ${file}: "${find}"`);
}
