/** Writing that a crash or a power cut leaves either done or undone. */
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Written beside, synced, and moved into place. */
export async function writeAtomically(file: string, text: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	const handle = await open(`${file}.new`, 'w', 0o600);
	try {
		await handle.appendFile(text);
		await handle.sync();
	} finally {
		await handle.close();
	}
	await rename(`${file}.new`, file);
	await syncFolder(dirname(file));
}

/** Not every file system lets a folder be synced; the rename is safe on those that do not. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r').catch(() => undefined);
	await handle?.sync().catch(() => undefined);
	await handle?.close();
}
