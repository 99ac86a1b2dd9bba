/** Writes files so that a crash or power failure leaves either the old content or the new. */
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a temporary file, syncs it, and renames it over the target. */
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

/** Some file systems cannot sync a folder; on those the rename is durable without it. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r').catch(() => undefined);
	await handle?.sync().catch(() => undefined);
	await handle?.close();
}
