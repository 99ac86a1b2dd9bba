import type { Clock } from '@partner-exchange/core';
import { savingTo } from '../../packages/node-red/src/saving';

/** A disk that finishes a write when told to, and a clock whose timers fire when told to. */
function parts() {
	const saved: unknown[] = [];
	const finishing: (() => void)[] = [];
	const timers = new Set<() => void>();
	const clock: Clock = {
		now: () => 0,
		after: (_, action) => {
			timers.add(action);
			return () => void timers.delete(action);
		},
	};
	const keeper = {
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
	return { saved, keeper, clock, ring, finish };
}

describe('saving', () => {
	it('writes the newest of many values, one write at a time', async () => {
		const { saved, keeper, clock, ring, finish } = parts();
		const saving = savingTo(keeper, clock, () => undefined);
		for (const value of [1, 2, 3]) saving.put(value);
		ring();
		saving.put(4);
		await finish();
		await finish();
		expect(saved).toEqual([3, 4]);
	});

	it('goes on after a timer that found nothing left to write', async () => {
		const { saved, keeper, clock, ring, finish } = parts();
		const saving = savingTo(keeper, clock, () => undefined);
		saving.put(1);
		ring();
		// The write under way takes this one along, so its own timer finds nothing.
		saving.put(2);
		await finish();
		await finish();
		ring();
		await saving.flush();
		saving.put(3);
		const flushed = saving.flush();
		await finish();
		await flushed;
		expect(saved).toEqual([1, 2, 3]);
	});

	it('reports what cannot be written, and tries the next', async () => {
		const { clock } = parts();
		const failures: unknown[] = [];
		const saved: unknown[] = [];
		const keeper = {
			load: () => Promise.resolve(undefined),
			save: async (value: unknown) => {
				if (value === 1) throw new Error('no room');
				await Promise.resolve(saved.push(value));
			},
		};
		const saving = savingTo(keeper, clock, (error) => failures.push(error));
		saving.put(1);
		await saving.flush();
		saving.put(2);
		await saving.flush();
		expect([failures.length, saved]).toEqual([1, [2]]);
	});
});
