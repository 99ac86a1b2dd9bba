import { appendFile, close, constants, fdatasync, fstatSync, open } from 'node:fs';
import { promisify } from 'node:util';

// By callbacks: a promise of node:fs/promises for each step costs as much as the step itself.
const [opened, appended, synced, closed] = [open, appendFile, fdatasync, close].map((step) => promisify(step)) as [
	(file: string, flags: number, mode: number) => Promise<number>,
	(fd: number, text: string) => Promise<void>,
	(fd: number) => Promise<void>,
	(fd: number) => Promise<void>,
];

const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;
/** Nothing tells a file that it is no longer used, so it is closed after a while without a text. */
const IDLE_MS = 1_000;

/** A file that grows, kept open while it does: to open and close it costs as much as to write. One text at a time. */
export interface AppendedFile {
	/** Resolves when the text is on the disk, at the end of the file that has this name. */
	append(text: string): Promise<void>;
	/** To be called before another file takes its name. */
	close(): Promise<void>;
}

export function appendedFile(file: string, mode: number): AppendedFile {
	let fd: number | undefined;
	let isBusy = false;
	const idle = setTimeout(() => {
		if (isBusy) idle.refresh();
		else void release();
	}, IDLE_MS).unref();

	async function release(): Promise<void> {
		const held = fd;
		fd = undefined;
		// What was written is on the disk already, so there is nothing a failure could lose.
		if (held !== undefined) await closed(held).catch(() => undefined);
	}

	return {
		append: async (text) => {
			isBusy = true;
			try {
				// A file that was removed would take what is written to it along.
				if (fd !== undefined && fstatSync(fd).nlink === 0) await release();
				fd ??= await opened(file, FLAGS, mode);
				await appended(fd, text);
				await synced(fd);
			} finally {
				isBusy = false;
				idle.refresh();
			}
		},
		close: release,
	};
}
