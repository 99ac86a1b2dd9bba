import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** A holder says so often that it lives; one that has not for so long is taken for dead. */
const TOUCHED_EVERY_MS = 5_000;
const DEAD_AFTER_MS = 30_000;

export interface FileLock {
	/** Whether this process holds it, taking it where nobody else does. */
	hold(): Promise<boolean>;
}

/**
 * A lock between processes: a file that names its holder and is touched while it lives. The death of a process of this
 * machine is seen at once; that of another machine or container when its file grows old.
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
			// Two that find it left at once both remove it, and one of them then writes it first.
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

/** Whether nobody holds it any more. A former life of this very process, as in a container, counts as nobody. */
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

/** A file that is gone is nothing to touch. */
const touch = (file: string): Promise<void> => utimes(file, new Date(), new Date()).catch(() => undefined);
