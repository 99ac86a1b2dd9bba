import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** How often the holder touches the file, and the age of the file at which the holder counts as dead. */
const TOUCHED_EVERY_MS = 5_000;
const DEAD_AFTER_MS = 30_000;

export interface FileLock {
	/** Takes the lock when no other process holds it; returns whether this process holds it. */
	hold(): Promise<boolean>;
}

/**
 * A lock between processes: a file that names its holder, who keeps touching it. A dead holder on this machine is
 * detected at once; one on another machine or in another container when the file grows old.
 */
export function fileLock(file: string): FileLock {
	const own = `${hostname()} ${process.pid}`;
	let isHeld = false;
	async function take(): Promise<boolean> {
		try {
			await writeFile(file, own, { flag: 'wx', mode: 0o600 });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
			if (!(await isLeft(file, own))) return false;
			// Two processes that find an abandoned lock may both remove it; only one of them then creates it.
			await rm(file, { force: true });
			await writeFile(file, own, { flag: 'wx', mode: 0o600 }).catch(() => undefined);
		}
		return (await holderOf(file)) === own;
	}
	return {
		hold: async () => {
			if (isHeld) return true;
			isHeld = await take();
			if (isHeld) setInterval(() => void touch(file), TOUCHED_EVERY_MS).unref();
			return isHeld;
		},
	};
}

const holderOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

/**
 * Whether the lock is abandoned. A holder with this host name and process id is an earlier run, as in a restarted
 * container.
 */
async function isLeft(file: string, own: string): Promise<boolean> {
	const holder = await holderOf(file);
	if (holder === undefined || holder === own) return true;
	const [machine, pid] = holder.split(' ');
	if (machine === hostname() && /^\d+$/.test(pid ?? '')) return !isAlive(Number(pid));
	const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
	return Date.now() - mtimeMs > DEAD_AFTER_MS;
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** The file may have been removed meanwhile, which is no error. */
const touch = (file: string): Promise<void> => utimes(file, new Date(), new Date()).catch(() => undefined);
