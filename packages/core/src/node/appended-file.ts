import { appendFileSync, close, constants, fdatasync, fstatSync, open } from 'node:fs';
import { promisify } from 'node:util';

// Callbacks, because the promises of node:fs/promises cost as much as the operations themselves.
const [opened, synced, closed] = [open, fdatasync, close].map((step) => promisify(step)) as [
	(file: string, flags: number, mode: number) => Promise<number>,
	(fd: number) => Promise<void>,
	(fd: number) => Promise<void>,
];

const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;
/** The file has no explicit end of use, so it is closed after this idle time. */
const IDLE_MS = 1_000;

/**
 * A file that is appended to and stays open between writes, because opening and closing costs as much as writing. Not
 * for concurrent writes.
 */
export interface AppendedFile {
	/**
	 * Resolves when the text is at the end of the file with this name, where it outlives the process. With `isSynced` it is
	 * on the disk then, with all that was appended before, and outlives the machine.
	 */
	append(text: string, isSynced: boolean): Promise<void>;
	/** Call before renaming another file to this name. */
	close(): Promise<void>;
}

export function appendedFile(file: string, mode: number): AppendedFile {
	let fd: number | undefined;
	let isBusy = false;
	const idle = setTimeout(() => {
		if (isBusy) idle.refresh();
		else release().catch(() => undefined);
	}, IDLE_MS).unref();

	async function release(): Promise<void> {
		const descriptor = fd;
		fd = undefined;
		// What has to outlive the machine is already synced, so a failing close loses nothing.
		if (descriptor !== undefined) await closed(descriptor).catch(() => undefined);
	}

	return {
		append: async (text, isSynced) => {
			isBusy = true;
			try {
				// A deleted file would lose what is written to it, so the file is opened again.
				if (fd !== undefined && fstatSync(fd).nlink === 0) await release();
				fd ??= await opened(file, FLAGS, mode);
				// Some hundred bytes into the cache of the system: handing them to another thread costs ten times as much.
				appendFileSync(fd, text);
				if (isSynced) await synced(fd);
			} finally {
				isBusy = false;
				idle.refresh();
			}
		},
		close: release,
	};
}
