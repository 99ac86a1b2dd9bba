import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ExchangeError } from '../errors';
import { assertKind, aText } from '../given';

/** Owner only: what is stored says what an account traded. */
const OWNER_ONLY = 0o600;

/**
 * Replaces a file as a whole, so that a crash or a power failure leaves either the old content or the new. What it holds is
 * renamed to `before`, if that is given. `check` is called last, and throws where the file has to stay as it is. The folder
 * must be there. A link leads to the file that is replaced.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for what is no text, and for a name that is one of a device, a pipe or a
 * folder. What the file system says of a file that cannot be written.
 *
 * @example
 * const { events, state } = await pollTransactions(client, undefined);
 * await replaceFile('wallet.json', JSON.stringify(state));
 */
export async function replaceFile(file: string, text: string, choices: Choices = {}): Promise<void> {
	assertKind(file, aText, { of: 'The name of a file', field: 'file' });
	assertKind(text, aText, { of: 'What a file is to hold', field: 'text' });
	const path = replaceablePath(file);
	const replaced = (replacing.get(path) ?? Promise.resolve()).then(
		() => writeWhole(path, text, choices),
		() => writeWhole(path, text, choices),
	);
	replacing.set(path, replaced);
	try {
		await replaced;
	} finally {
		if (replacing.get(path) === replaced) replacing.delete(path);
	}
}

/**
 * Where a file is that may be replaced, or is to be: behind the links that lead to it, which stay. Anything else of that
 * name, such as `/dev/null`, would be gone.
 */
export function replaceablePath(file: string): string {
	const there = statSync(file, { throwIfNoEntry: false });
	if (!there || there.isFile()) return behindLinks(resolve(file));
	throw new ExchangeError('invalid_input', {
		field: 'file',
		what: `${file} is a folder, a device or a pipe, and no file that can be replaced`,
		advice: 'Name a file, or one that is not there yet; nothing was written',
	});
}

/** What a link leads to may not be there yet. */
const behindLinks = (path: string): string =>
	lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
		? behindLinks(resolve(dirname(path), readlinkSync(path)))
		: path;

/** By path, the last replacement under way: one follows another, because they share the file that they write first. */
const replacing = new Map<string, Promise<void>>();

interface Choices {
	before?: string;
	check?: () => void;
}

async function writeWhole(file: string, text: string, { before, check }: Choices): Promise<void> {
	const beside = `${file}.new`;
	// Created, because a file or link that somebody left under this name would be written to instead.
	await rm(beside, { force: true });
	const handle = await open(beside, 'wx', OWNER_ONLY);
	try {
		await handle.appendFile(text);
		await handle.sync();
	} finally {
		await handle.close();
	}
	check?.();
	// After a crash between the two, the one before is read. A file that somebody removed has none before it.
	if (before !== undefined) await rename(file, before).catch(unlessMissing);
	await rename(beside, file);
	await syncFolder(dirname(file));
}

function unlessMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error;
}

/** A rename is durable only once its folder is synced. Some file systems cannot sync a folder. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r').catch(() => undefined);
	await handle?.sync().catch(() => undefined);
	await handle?.close();
}
