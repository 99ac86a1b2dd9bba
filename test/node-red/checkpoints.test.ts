import { lstat, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@partner-exchange/core';
import { newFolder } from '../support/folder';
import { debouncedSave } from '../../packages/node-red/src/checkpoints/debounced-save';
import { removeOrphanFiles } from '../../packages/node-red/src/checkpoints/orphan-files';
import { checkpointFile } from '../../packages/node-red/src/checkpoints/checkpoints';

describe('the file of a checkpoint', () => {
	let folder: string;
	beforeEach(() => void (folder = newFolder()));

	function open(name: string) {
		const warnings: string[] = [];
		return { warnings, store: checkpointFile(join(folder, name), (problem) => void warnings.push(problem)) };
	}

	it('a checkpoint file that the disk cannot read does not count as missing', async () => {
		await mkdir(join(folder, 'unreadable.json'));
		await expect(open('unreadable.json').store.load()).rejects.toMatchObject({
			code: 'not_available',
			what: `The stored checkpoint in ${join(folder, 'unreadable.json')} cannot be read (EISDIR)`,
		});
	});

	it('a damaged checkpoint file never takes the place of the one before it', async () => {
		for (const at of [1, 2]) await open('one.json').store.save({ at });
		// The first save of a process does not know what it replaces.
		const { store: first } = open('one.json');
		await first.load();
		await first.save({ at: 3 });
		await writeFile(join(folder, 'one.json'), '');
		const { store } = open('one.json');
		expect(await store.load()).toEqual({ at: 2 });
		await store.save({ at: 4 });
		await writeFile(join(folder, 'one.json'), '');
		expect(await open('one.json').store.load()).toEqual({ at: 2 });
	});

	it.each(['{"at":', '', '{}'])(
		'a damaged checkpoint file that is alone does not count as missing: %j',
		async (damage) => {
			await writeFile(join(folder, 'alone.json'), damage);
			await expect(open('alone.json').store.load()).rejects.toMatchObject({
				code: 'not_available',
				field: 'checkpoint',
			});
		},
	);

	it('a checkpoint file is read from the previous generation after a crash between the two renames', async () => {
		await open('between.json').store.save({ at: 1 });
		await rename(join(folder, 'between.json'), join(folder, 'between.json.before'));
		expect(await open('between.json').store.load()).toEqual({ at: 1 });
	});

	it('a checkpoint file is created for its owner alone, also where a link lies under its name', async () => {
		await writeFile(join(folder, 'victim'), 'untouched', { mode: 0o644 });
		await symlink(join(folder, 'victim'), join(folder, 'linked.json.new'));
		await open('linked.json').store.save({ at: 1 });
		expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('untouched');
		expect((await lstat(join(folder, 'linked.json'))).mode & 0o777).toBe(0o600);
	});

	it('a checkpoint file holds the last of several values that are saved at once', async () => {
		const { store } = open('twice.json');
		const values = ['a long value'.repeat(100_000), 'b', 'a long value'.repeat(50_000), 'the last'].map((at) => ({
			at,
		}));
		await Promise.all(values.map(async (value) => await store.save(value)));
		expect(await store.load()).toEqual({ at: 'the last' });
	});
});

const DAY_MS = 24 * 60 * 60 * 1000;

const NOW = Date.UTC(2026, 0, 31);

/** The journal of an account with the ID `account-gone`. */
const GONE_JOURNAL = 'orders-c94481525f2b8fa3.journal';

/** Files as nodes left them; files with an age have had no node for that many days. */
async function leave(folder: string, files: Record<string, number | undefined>): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const [name, days] of Object.entries(files)) {
		await writeFile(join(folder, name), '{}');
		if (days === undefined) continue;
		await writeFile(join(folder, `${name}.unused`), '');
		await utimes(join(folder, `${name}.unused`), new Date(), new Date(NOW - days * DAY_MS));
	}
}

describe('files of nodes', () => {
	let folder: string;
	beforeEach(() => void (folder = newFolder()));

	const after = async (...ids: string[]): Promise<string[]> => {
		removeOrphanFiles(folder, ids, NOW);
		return (await readdir(folder)).sort();
	};

	it('removes the files of a node that was missing for a month, and not before', async () => {
		await leave(folder, { 'gone.json': 31, 'missing.json': 29, [GONE_JOURNAL]: 31 });
		expect(await after('other')).toEqual(['missing.json', 'missing.json.unused']);
	});

	it('keeps the files of a node that is back, and removes their mark', async () => {
		await leave(folder, { 'back.json': 300, [GONE_JOURNAL]: 300 });
		expect(await after('back', 'account-gone')).toEqual(['back.json', GONE_JOURNAL]);
	});

	it('keeps the files of nodes in a subflow as long as its instance is there', async () => {
		await leave(folder, { 'one-two-three.json': 300, 'other-two.json': 300 });
		expect(await after('one')).toEqual(['one-two-three.json']);
	});
});

/** A disk that completes a write on request, and a clock whose timers fire on request. */
function parts() {
	const saved: unknown[] = [];
	const finishing: (() => void)[] = [];
	const timers = new Set<() => void>();
	const clock: Clock = {
		now: () => 0,
		elapsed: () => 0,
		after: (_, action) => {
			timers.add(action);
			return () => void timers.delete(action);
		},
	};
	const store = {
		load: () => Promise.resolve(undefined),
		save: async (value: unknown) => {
			await new Promise<void>((resolve) => finishing.push(resolve));
			saved.push(value);
		},
	};
	const ring = (): void => {
		for (const action of [...timers]) {
			timers.delete(action);
			action();
		}
	};
	const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
	const finish = async (): Promise<void> => {
		for (const resolve of finishing.splice(0)) resolve();
		await turn();
	};
	return { saved, store, clock, ring, finish };
}

/** A disk that takes nothing while it is full. */
function fullDisk() {
	const disk = {
		isFull: true,
		saved: [] as unknown[],
		load: () => Promise.resolve(undefined),
		save: async (value: unknown) => {
			await Promise.resolve();
			if (disk.isFull) throw new Error('No space left on the device');
			disk.saved.push(value);
		},
	};
	return disk;
}

describe('a debounced save', () => {
	it('writes the newest of many values, one write at a time', async () => {
		const { saved, store, clock, ring, finish } = parts();
		const save = debouncedSave(store, clock, () => undefined);
		for (const value of [1, 2, 3]) save.put(value);
		ring();
		save.put(4);
		await finish();
		await finish();
		await finish();
		expect(saved).toEqual([1, 4]);
	});

	it('tries again by itself to store what a full disk did not take', async () => {
		const { clock, ring, finish } = parts();
		const disk = fullDisk();
		debouncedSave(disk, clock, () => undefined).put(1);
		await finish();
		ring();
		await finish();
		disk.isFull = false;
		ring();
		await finish();
		expect(disk.saved).toEqual([1]);
	});

	it('reports once that nothing can be stored, and again where that happens again', async () => {
		const { clock, ring } = parts();
		const said: unknown[] = [];
		const disk = fullDisk();
		const save = debouncedSave(disk, clock, (error) => said.push(error));
		const put = async (value: number): Promise<void> => {
			save.put(value);
			ring();
			await save.flush();
		};
		for (const value of [1, 2, 3]) await put(value);
		expect(said).toHaveLength(1);
		disk.isFull = false;
		await put(4);
		disk.isFull = true;
		await put(5);
		expect(said).toHaveLength(2);
	});
});
