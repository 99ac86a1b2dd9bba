/** The files a running host has written. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './condition';

/** The text of every file in a folder except those of installed packages. */
export async function everyFile(folder: string): Promise<string> {
	// A file may be renamed between being listed and being read; the folder is then read again.
	return await until(async () => await readAll(folder).catch(unlessGone), { what: `the files in ${folder}` });
}

async function readAll(folder: string): Promise<string> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'));
	const texts = files.map(async ({ parentPath, name }) => await readFile(join(parentPath, name), 'utf8'));
	return (await Promise.all(texts)).join('\n');
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}
