import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { assertKind, text } from '../given';
import type { StoredCheckpoint } from '../stream/contract';
import { replaceFile } from './replaced-file';

/** The two parts of a subscription that keep its place. */
interface CheckpointFile {
	checkpoint?: StoredCheckpoint;
	onCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
}

/**
 * The checkpoint of one subscription in a file of its own, which outlives the process and the machine: whatever is killed
 * while it is written leaves the one before it. Only a file that does not exist is a first start.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a name that is no text. What the file system says of a file that cannot be read. One that cannot be written ends the subscription, with
 * the reason as the cause of the error that `onFailed` gets.
 *
 * @example
 * const fills = stream.subscribe({ topics: ['user.fills'], ...fileCheckpoint('fills.json'), deliver: save });
 */
export function fileCheckpoint(file: string): CheckpointFile {
	assertKind(file, text, { of: 'The file of a checkpoint', field: 'file' });
	let latest: StoredCheckpoint | undefined;
	let writing: Promise<void> | undefined;

	/** A checkpoint that comes while another one is written takes the place of those before it. */
	async function write(): Promise<void> {
		while (latest) {
			const whole = JSON.stringify(latest);
			latest = undefined;
			await mkdir(dirname(file), { recursive: true, mode: 0o700 });
			await replaceFile(file, whole);
		}
	}

	return {
		...(existsSync(file) ? { checkpoint: checkpointIn(readFileSync(file, 'utf8')) } : {}),
		onCheckpoint: (checkpoint) => {
			latest = checkpoint;
			return (writing ??= write().finally(() => (writing = undefined)));
		},
	};
}

/** What is torn is handed over as one that is damaged, because to begin anew without a word would lose what was missed. */
function checkpointIn(text: string): StoredCheckpoint {
	try {
		return JSON.parse(text) as StoredCheckpoint;
	} catch {
		return {};
	}
}
