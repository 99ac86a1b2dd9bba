import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';

interface File {
	text: string;
	touchedAt: number;
}

/** One folder that several processes use. It keeps what dead processes wrote. */
export type Folder = Map<string, File>;

/** How one process reaches the folder: the part of `node:fs` that a lock uses. */
export interface FileSystem {
	promises: Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
	sync: Readonly<Record<string, (...args: never[]) => unknown>>;
}

interface Reach {
	time: VirtualTime;
	chance: Random;
	/** How long one step takes on average. */
	slowMs: number;
	/** The wall clock of the machine that keeps the folder. */
	now(): number;
	/** Calls back while the process lives: at once, or when it goes on after it was suspended. */
	whenAwake(action: () => void): void;
	lives(): boolean;
	note(step: string, ...words: string[]): void;
}

const SLOWEST_MS = 3_000;

const failure = (code: string): Error => Object.assign(new Error(code), { code });

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Each operation takes effect at one moment and answers at a later one; a process may die or be suspended in between. */
export function fileSystem(folder: Folder, { time, chance, slowMs, now, whenAwake, lives, note }: Reach): FileSystem {
	const pass = (): Promise<void> =>
		new Promise((resolve) => time.after(chance.exponential(slowMs, SLOWEST_MS), () => whenAwake(resolve)));
	const step = async <Value>(name: string, path: string, effect: () => Value): Promise<Value> => {
		await pass();
		// What a process that died had not begun does not happen.
		if (!lives()) return new Promise(() => undefined);
		note(name, nameOf(path));
		const done = attempt(effect);
		await pass();
		return done();
	};
	const existing = (path: string): File => {
		const file = folder.get(nameOf(path));
		if (!file) throw failure('ENOENT');
		return file;
	};
	const touch = (path: string, at: number): void => void (existing(path).touchedAt = at);
	return {
		sync: {
			readFileSync: (path: string) => existing(path).text,
			existsSync: (path: string) => folder.has(nameOf(path)),
			utimesSync: (path: string, _: unknown, at: number | Date) => touch(path, Number(at)),
		},
		promises: {
			readdir: (path: string) =>
				step('readdir', path, () => [...folder.keys()].map((name) => ({ name, isFile: () => true }))),
			readFile: (path: string) => step('readFile', path, () => existing(path).text),
			stat: (path: string) => step('stat', path, () => ({ mtimeMs: existing(path).touchedAt })),
			utimes: (path: string, _: unknown, at: Date) => step('utimes', path, () => touch(path, Number(at))),
			rm: (path: string) => step('rm', path, () => void folder.delete(nameOf(path))),
			// The file exists before its text does.
			writeFile: async (path: string, text: string) => {
				await step('create', path, () => {
					if (folder.has(nameOf(path))) throw failure('EEXIST');
					folder.set(nameOf(path), { text: '', touchedAt: now() });
				});
				await step('write', path, () => {
					const file = folder.get(nameOf(path));
					if (file) Object.assign(file, { text, touchedAt: now() });
				});
			},
		},
	};
}

/** What an operation answered, told later. */
function attempt<Value>(effect: () => Value): () => Value {
	try {
		const value = effect();
		return () => value;
	} catch (error) {
		return () => {
			throw error;
		};
	}
}
