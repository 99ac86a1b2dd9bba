/** Saves the newest of many values, one at a time, and never more often than the disk should be asked to sync. */
import type { Clock } from '@partner-exchange/core';
import type { PositionStore } from './positions';

const SAVE_EVERY_MS = 250;

export interface DebouncedSave {
	put(value: unknown): void;
	/** Resolves when everything put so far is on the disk, or could not be written. */
	flush(): Promise<void>;
}

export function debouncedSave(keeper: PositionStore, clock: Clock, failed: (error: unknown) => void): DebouncedSave {
	let next: { value: unknown } | undefined;
	let writing: Promise<void> | undefined;
	let cancelWait: (() => void) | undefined;
	let hasBegun = false;

	async function drain(): Promise<void> {
		while (next) {
			const { value } = next;
			next = undefined;
			await keeper.save(value).catch(failed);
		}
	}
	const start = (): Promise<void> => {
		cancelWait?.();
		cancelWait = undefined;
		// Cleared in `finally`, because draining may end before `writing` is assigned.
		writing ??= drain().finally(() => (writing = undefined));
		return writing;
	};
	return {
		put: (value) => {
			next = { value };
			// The first position is saved at once: a node that crashed before would begin anew, behind what it missed.
			if (!hasBegun) void start();
			hasBegun = true;
			cancelWait ??= clock.after(SAVE_EVERY_MS, () => void start());
		},
		flush: async () => {
			while (next ?? writing) await start();
		},
	};
}
