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

	it('reports once that nothing can be stored, and again where that begins anew', async () => {
		const { clock, ring } = parts();
		const outcomes = ['full', 'full', 'full', 'stored', 'full'];
		const said: unknown[] = [];
		const store = {
			load: () => Promise.resolve(undefined),
			save: async () => {
				await Promise.resolve();
				const outcome = outcomes.shift();
				if (outcome === 'full') throw new Error('No space left on the device');
			},
		};
		const save = debouncedSave(store, clock, (error) => said.push(error));
		for (const value of [1, 2, 3, 4]) {
			save.put(value);
			ring();
			await save.flush();
		}
		expect(said).toHaveLength(1);
		save.put(5);
		await save.flush();
		expect(said).toHaveLength(2);
	});
});
