import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { sleep } from '../ports';
import { systemClock } from './clock';

/** How often the holder touches the file, and how long it has to stay untouched for the holder to count as dead. */
const TOUCHED_EVERY_MS = 5_000;
const DEAD_AFTER_MS = 30_000;
const UNNAMED_AFTER_MS = 500;
/**
 * How long a process waits for the one before it, and how often it looks: longer than one that was killed holds its lock, so
 * that a redeployment refuses nothing.
 */
const WAIT_MS = 40_000;
const AGAIN_MS = 1_000;

export interface FileLock {
	/** Whether this process still holds the lock. A process that was suspended for long may have lost it. */
	isHeld(): boolean;
	/** Takes the lock when no other process holds it; returns whether this process holds it. */
	hold(): Promise<boolean>;
	/**
	 * Takes it as `hold` does, and waits for the process before this one, which may still be ending, or was killed in a
	 * container of another name. It waits once: who goes on after that time is another user of the file.
	 */
	wait(): Promise<boolean>;
}

/**
 * A lock between processes: a file that names its holder, who keeps touching it. Each holder has a number one higher
 * than the one before, as the ending of the file's name. An abandoned lock is never removed and created again. The
 * process that takes it over creates the file of the next number, which only one process can, and then removes the
 * earlier ones. So the highest number is always there, and always says who holds the lock.
 */
export function fileLock(file: string): FileLock {
	const own = `${hostname()} ${process.pid}`;
	let holder: string | undefined;
	let hasHeld = false;
	let waitsUntil: number | undefined;
	/** The file of the latest holder, as this process saw it first. */
	let watched: { path: string; mtimeMs: number; since: number } | undefined;
	const isHeld = (): boolean => holder !== undefined && isNamedIn(holder, own);

	async function take(): Promise<string | undefined> {
		const earlier = await numbersOf(file);
		const latest = earlier[0];
		if (latest !== undefined && !(await isLeft(pathOf(file, latest)))) return undefined;
		const number = (latest ?? 0) + 1;
		const path = pathOf(file, number);
		if (!(await isCreated(path, own))) return undefined;
		// Somebody may have taken the lock and given it back since the numbers were read.
		if ((await numbersOf(file))[0] !== number) {
			await rm(path, { force: true });
			return undefined;
		}
		for (const before of earlier) await rm(pathOf(file, before), { force: true });
		return path;
	}

	/**
	 * Whether a lock is abandoned: it was given back, its holder is dead, or nobody touched it while this process looked at it
	 * for long, because the process with its number is another program by now. No date is compared with a clock, which may
	 * be wrong on either machine. A holder with this host name and process id is an earlier run, as in a restarted container.
	 * Two containers may have both in common. A process that lost the lock knows that its holder is another one.
	 */
	async function isLeft(path: string): Promise<boolean> {
		const named = await readFile(path, 'utf8').catch(() => undefined);
		if (named === undefined || heldPaths.has(path)) return true;
		if (!hasHeld && (named === own || isDead(named))) return true;
		// A process may be suspended between any two of these. So the time is read before the file to say how long it was
		// looked at, and behind it to say since when: either way a living holder is not taken for a dead one.
		const now = performance.now();
		const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: GIVEN_BACK }));
		if (watched?.path !== path || watched.mtimeMs !== mtimeMs) watched = { path, mtimeMs, since: performance.now() };
		// A file without a name is of a process that was killed before it wrote that.
		const deadAfterMs = named === '' ? UNNAMED_AFTER_MS : DEAD_AFTER_MS;
		return mtimeMs === GIVEN_BACK || now - watched.since > deadAfterMs;
	}

	async function hold(): Promise<boolean> {
		if (isHeld()) return true;
		holder = await take();
		// While it was taken, this process may have been suspended, and another one took it over.
		if (holder === undefined || !isHeld()) return false;
		[hasHeld, waitsUntil] = [true, undefined];
		const path = holder;
		const touching = setInterval(() => touch(path, () => clearInterval(touching)), TOUCHED_EVERY_MS).unref();
		releasedAtExit(path);
		return true;
	}
	return {
		isHeld,
		hold,
		wait: async () => {
			while (!(await hold())) {
				waitsUntil ??= systemClock.elapsed() + WAIT_MS;
				if (systemClock.elapsed() >= waitsUntil) return false;
				await sleep(systemClock, AGAIN_MS);
			}
			return true;
		},
	};
}

/** When a lock was touched last that was given back. */
const GIVEN_BACK = 0;

/** The numbers of the holders, the latest first. */
async function numbersOf(file: string): Promise<number[]> {
	const name = `${basename(file)}.`;
	return (await readdir(dirname(file), { withFileTypes: true }))
		.filter((entry) => entry.name.startsWith(name) && entry.isFile())
		.map((entry) => Number(entry.name.slice(name.length)))
		.filter((number) => Number.isSafeInteger(number))
		.sort((a, b) => b - a);
}

/** A number that was given up can be a file again for a moment, of a process that read the numbers long ago. */
function isNamedIn(path: string, own: string): boolean {
	try {
		return readFileSync(path, 'utf8') === own;
	} catch {
		return false;
	}
}

const pathOf = (file: string, number: number): string => `${file}.${number}`;

/** Creates a file that does not exist, which only one process can. */
async function isCreated(path: string, text: string): Promise<boolean> {
	try {
		await writeFile(path, text, { flag: 'wx', mode: 0o600 });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

/** Whether the holder was a process of this machine that has ended. */
function isDead(holder: string): boolean {
	const [machine, pid = ''] = holder.split(' ');
	return machine === hostname() && /^\d+$/.test(pid) && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** A file that was removed means that the lock was taken over, which `isHeld` tells. */
function touch(path: string, lost: () => void): void {
	utimes(path, new Date(), new Date()).catch(({ code }: NodeJS.ErrnoException) => code === 'ENOENT' && lost());
}

/** The locks this process holds. */
const heldPaths = new Set<string>();

/** An orderly end gives the lock back at once. */
function releasedAtExit(path: string): void {
	if (heldPaths.size === 0)
		process.once('exit', () => {
			for (const lock of heldPaths)
				try {
					utimesSync(lock, GIVEN_BACK, GIVEN_BACK);
				} catch {
					// Another process has taken the lock over.
				}
		});
	for (const lock of heldPaths) if (!existsSync(lock)) heldPaths.delete(lock);
	heldPaths.add(path);
}
