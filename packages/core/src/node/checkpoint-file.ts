import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { causedBy, ExchangeError } from '../errors';
import { assertKind, someText } from '../given';
import type { StoredCheckpoint } from '../stream/contract';
import { replaceFile } from './replaced-file';

/** The two parts of a subscription that keep its position. */
interface CheckpointFile {
	readonly checkpoint?: StoredCheckpoint;
	onCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
}

/**
 * The checkpoint of one subscription in a file of its own, which outlives the process and the machine: whatever is killed
 * while it is written leaves the one before it. Only a file that does not exist is a first start.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a name that is no text, `not_available` for a file that cannot
 * be read, with the reason as its cause. A file that cannot be written, or that this process opened again since, ends the
 * subscription, with the reason as the cause of the error that `onFailed` gets.
 *
 * @example
 * const fills = stream.subscribe({ topics: ['user.fills'], ...fileCheckpoint('fills.json'), deliver: save });
 */
export function fileCheckpoint(file: string): CheckpointFile {
	assertKind(file, someText, { of: 'The file of a checkpoint', field: 'file' });
	const [path, owner] = [resolve(file), Symbol(file)];
	let stored = textIn(file);
	owners.set(path, owner);
	let latest: StoredCheckpoint | undefined;
	let writing: Promise<void> | undefined;

	/** A checkpoint that comes while another one is written takes the place of those before it. */
	async function write(): Promise<void> {
		while (latest) {
			const whole = JSON.stringify(latest);
			latest = undefined;
			await mkdir(dirname(file), { recursive: true, mode: 0o700 });
			await replaceFile(file, whole);
			stored = whole;
		}
	}

	return {
		// Read at each subscription: one that follows another goes on where that one ended.
		get checkpoint() {
			return stored === undefined ? undefined : checkpointIn(stored, file);
		},
		onCheckpoint: (checkpoint) => {
			if (owners.get(path) !== owner) return Promise.reject(keptByAnother(file));
			latest = checkpoint;
			return (writing ??= write().finally(() => (writing = undefined)));
		},
	};
}

/** The last opener of each file in this process. A file that two subscriptions write would hold the position of neither. */
const owners = new Map<string, symbol>();

const keptByAnother = (file: string): ExchangeError =>
	new ExchangeError('not_available', {
		operation: 'Stream',
		what: `The checkpoint ${file} was opened again since, and belongs to who opened it last`,
		advice: 'Give each subscription a file of its own; nothing was written',
	});

/**
 * The text of the file, or undefined where there is no such file. A file that exists and cannot be read is no first
 * start.
 */
function textIn(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		const { code = 'unknown' } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
		throw causedBy(error, 'not_available', {
			operation: 'Stream',
			field: 'file',
			what: `The checkpoint ${file} cannot be read (${code})`,
			advice: 'Let this program read it, or name another file to begin from now; nothing was sent',
		});
	}
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
