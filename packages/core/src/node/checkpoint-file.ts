import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { causedBy, ExchangeError, isExchangeError } from '../errors';
import { assertKind, someText } from '../given';
import type { StoredCheckpoint } from '../stream/contract';
import { fileLock } from './file-lock';
import { replaceablePath, replaceFile } from './replaced-file';

/** The two parts of a subscription that keep its checkpoint. */
interface CheckpointFile {
	readonly checkpoint?: StoredCheckpoint;
	onCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
}

/**
 * The checkpoint of one subscription in a file of its own, which outlives the process and the machine: whatever is killed
 * while it is written leaves the one before it. Only a file that does not exist is a first start. As of a journal, one
 * process at a time writes it.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a name that is no text, or one of a device, a pipe or a folder;
 * `not_available` for a file that cannot be read, with the reason as its cause. A file that cannot be written, that this
 * process opened again since, or that another process goes on using ends the subscription, and `onFailed` gets the reason.
 *
 * @example
 * const fills = stream.subscribe({ topics: ['user.fills'], ...fileCheckpoint('fills.json'), deliver: save });
 */
export function fileCheckpoint(file: string): CheckpointFile {
	assertKind(file, someText, { of: 'The file of a checkpoint', field: 'file' });
	const { path, text } = foundAt(file);
	const [owner, lock] = [Symbol(file), fileLock(`${path}.lock`)];
	owners.set(path, owner);
	let stored = text;
	let latest: StoredCheckpoint | undefined;
	let writing: Promise<void> | undefined;

	/** A checkpoint that comes while another one is written takes the place of those before it. */
	async function write(): Promise<void> {
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		// No account waits for another process when it is closed.
		if (!(await lock.hold())) underWay.delete(owner);
		if (!(await lock.wait())) throw ofAnother(`The checkpoint ${file} is used by another process`);
		while (latest) {
			const whole = JSON.stringify(latest);
			latest = undefined;
			await replaceFile(path, whole);
			stored = whole;
		}
	}

	return {
		// Read at each subscription: one that follows another goes on where that one ended.
		get checkpoint() {
			return stored === undefined ? undefined : checkpointIn(stored, file);
		},
		onCheckpoint: (checkpoint) => {
			if (owners.get(path) !== owner)
				return Promise.reject(
					ofAnother(`The checkpoint ${file} was opened again since, and belongs to who opened it last`),
				);
			latest = checkpoint;
			if (writing) return writing;
			writing = write()
				.catch((error: unknown) => {
					throw unusable(file, 'written', error);
				})
				.finally(() => {
					writing = undefined;
					underWay.delete(owner);
				});
			underWay.set(owner, writing);
			return writing;
		},
	};
}

/** The last opener of each file in this process. A file that two subscriptions write would hold the checkpoint of neither. */
const owners = new Map<string, symbol>();

/** The checkpoints that are being written, by who opened the file. */
const underWay = new Map<symbol, Promise<void>>();

/** Resolves once those checkpoints are written that are being written now. */
export const checkpointsWritten = (): Promise<unknown> => Promise.allSettled(underWay.values());

const ofAnother = (what: string): ExchangeError =>
	new ExchangeError('not_available', {
		operation: 'Stream',
		what,
		advice: 'Give each subscription a file of its own; nothing was written',
	});

/**
 * Where the file is and its text, or undefined where there is no such file. A file that exists and cannot be read is no
 * first start.
 */
function foundAt(file: string): { path: string; text?: string } {
	try {
		const path = replaceablePath(file);
		return { path, text: existsSync(path) ? readFileSync(path, 'utf8') : undefined };
	} catch (error) {
		throw unusable(file, 'read', error);
	}
}

const advices = {
	read: 'Let this program read it, or name another file to begin from now; nothing was sent',
	written: 'Make it writable and subscribe again; what was stored before is kept',
} as const;

/** What the file system says of the file; an error of ours stays as it is. */
function unusable(file: string, how: keyof typeof advices, error: unknown): ExchangeError {
	if (isExchangeError(error)) return error;
	const { code = 'unknown' } = error as NodeJS.ErrnoException;
	return causedBy(error, 'not_available', {
		operation: 'Stream',
		field: 'file',
		what: `The checkpoint ${file} cannot be ${how} (${code})`,
		advice: advices[how],
	});
}

/**
 * A torn file is handed over as a damaged checkpoint, because to begin from now in silence would lose what was missed. The
 * error names the file.
 */
function checkpointIn(text: string, file: string): StoredCheckpoint {
	try {
		return { ...(JSON.parse(text) as StoredCheckpoint), file };
	} catch {
		return { file };
	}
}
