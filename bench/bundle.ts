import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = join(__dirname, '..');
/** Hosts are measured as they are installed, and find their own files only where they are. */
const EXTERNAL = ['n8n-core', 'n8n-workflow', 'node-red', 'esbuild', 'bufferutil', 'utf-8-validate'];

/** Bundled as it is published: a loader that compiles while it runs would be measured, too. Answers the file. */
export function bundle(entry: string, name: string): string {
	// Beside the sources, so that what is not bundled is found in node_modules.
	const outfile = join(ROOT, 'bench', 'dist', `${name}.cjs`);
	mkdirSync(join(ROOT, 'bench', 'dist'), { recursive: true });
	buildSync({
		entryPoints: [join(ROOT, entry)],
		bundle: true,
		platform: 'node',
		target: 'node22',
		logLevel: 'error',
		outfile,
		external: EXTERNAL,
		tsconfig: join(ROOT, 'tsconfig.json'),
	});
	return outfile;
}
