import type { Clock } from '@partner-exchange/core';
import { debouncedSave } from '../../packages/node-red/src/positions/debounced-save';

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

	it('writes at once where a node begins, so that a crash right after it loses nothing', async () => {
		const { saved, store, clock, finish } = parts();
		debouncedSave(store, clock, () => undefined).put(1);
		await finish();
		expect(saved).toEqual([1]);
	});

	it('saves on after a timer with nothing left to write', async () => {
		const { saved, store, clock, ring, finish } = parts();
		const save = debouncedSave(store, clock, () => undefined);
		save.put(1);
		ring();
		// The write in progress includes this change, so its own timer has nothing to save.
		save.put(2);
		await finish();
		await finish();
		ring();
		await save.flush();
		save.put(3);
		const flushed = save.flush();
		await finish();
		await flushed;
		expect(saved).toEqual([1, 2, 3]);
	});

	it('reports a save that failed, and tries the next', async () => {
		const { clock } = parts();
		const failures: unknown[] = [];
		const saved: unknown[] = [];
		const store = {
			load: () => Promise.resolve(undefined),
			save: async (value: unknown) => {
				if (value === 1) throw new Error('no room');
				await Promise.resolve(saved.push(value));
			},
		};
		const save = debouncedSave(store, clock, (error) => failures.push(error));
		save.put(1);
		await save.flush();
		save.put(2);
		await save.flush();
		expect([failures.length, saved]).toEqual([1, [2]]);
	});

	it('stores at a stop what a full disk did not take before, once there is room again', async () => {
		const { clock } = parts();
		const disk = fullDisk();
		const save = debouncedSave(disk, clock, () => undefined);
		save.put(1);
		save.put(2);
		await save.flush();
		disk.isFull = false;
		await save.flush();
		expect([disk.saved, save.isFailing()]).toEqual([[2], false]);
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

	it('reports once that nothing can be stored, and again where that begins anew', async () => {
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
