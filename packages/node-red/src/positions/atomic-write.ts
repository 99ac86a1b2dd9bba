/** Writes files so that a crash or power failure leaves either the old content or the new. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a temporary file, syncs it, and renames it over the target, which is renamed to `before` if that is given. */
export async function writeAtomically(file: string, text: string, { before }: { before?: string } = {}): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	// Created, because a file or link that somebody left under this name would be written to instead.
	await rm(`${file}.new`, { force: true });
	const handle = await open(`${file}.new`, 'wx', 0o600);
	try {
		await handle.appendFile(text);
		await handle.sync();
	} finally {
		await handle.close();
	}
	// After a crash between the two, the one before is read. A file that somebody removed has none before it.
	if (before !== undefined) await rename(file, before).catch(unlessMissing);
	await rename(`${file}.new`, file);
	await syncFolder(dirname(file));
}

function unlessMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error;
}

/** Some file systems cannot sync a folder; on those the rename is durable without it. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r').catch(() => undefined);
	await handle?.sync().catch(() => undefined);
	await handle?.close();
}
