import { inBackground } from '@partner-exchange/core/adapters';
/**
 * Saves the newest of many values: one write at a time, and at most one every SAVE_EVERY_MS, because each write is
 * synced.
 */
import type { Clock } from '@partner-exchange/core';

import type { PositionStore } from './positions';

const SAVE_EVERY_MS = 250;

export interface DebouncedSave {
	put(value: unknown): void;
	/** Resolves when every value put so far is on disk, or its write has failed. */
	flush(): Promise<void>;
	/** Whether the latest write failed. */
	isFailing(): boolean;
}

/** `failed` is called once for each time that saving begins to fail: a full disk would fill the log, too. */
export function debouncedSave(store: PositionStore, clock: Clock, failed: (error: unknown) => void): DebouncedSave {
	let isFailing = false;
	let next: { value: unknown } | undefined;
	let writing: Promise<void> | undefined;
	let cancelWait: (() => void) | undefined;
	let hasBegun = false;

	async function drain(): Promise<void> {
		while (next) {
			const { value } = next;
			next = undefined;
			await store.save(value).then(() => (isFailing = false), fail);
		}
	}
	function fail(error: unknown): void {
		if (!isFailing) failed(error);
		isFailing = true;
	}
	const start = (): Promise<void> => {
		cancelWait?.();
		cancelWait = undefined;
		// Cleared in `finally`, because `drain` may end before `writing` is assigned.
		writing ??= drain().finally(() => (writing = undefined));
		return writing;
	};
	return {
		put: (value) => {
			next = { value };
			// The first position is saved at once: after a crash before that, the node would start at the newest event and
			// miss some.
			if (!hasBegun) inBackground(start());
			hasBegun = true;
			cancelWait ??= clock.after(SAVE_EVERY_MS, () => inBackground(start()));
		},
		flush: async () => {
			while (next ?? writing) await start();
		},
		isFailing: () => isFailing,
	};
}
