/**
 * Saves the newest of many values: one write at a time, and at most one every SAVE_EVERY_MS, because each write is
 * synced.
 */
import { inBackground } from '@partner-exchange/core/adapters';
import type { Clock } from '@partner-exchange/core';

import type { CheckpointStore } from './checkpoints';

/** A checkpoint is written at most this often, to spare the disk. */
const SAVE_EVERY_MS = 250;
/** A failed write is tried again after this pause, because a full disk stays full for a while. */
const TRY_AGAIN_MS = 5_000;

export interface DebouncedSave {
	put(value: unknown): void;
	/** Resolves when every value put so far is on disk, or its write has failed. */
	flush(): Promise<void>;
	/** Whether the latest write failed. */
	isFailing(): boolean;
}

/**
 * A value that could not be written is tried again until a newer one takes its place. `failed` is called once for each
 * time that saving begins to fail: a full disk would fill the log, too.
 */
export function debouncedSave(store: CheckpointStore, clock: Clock, failed: (error: unknown) => void): DebouncedSave {
	let isFailing = false;
	let next: { value: unknown } | undefined;
	let writing: Promise<void> | undefined;
	let cancelWait: (() => void) | undefined;
	let hasBegun = false;

	async function drain(): Promise<void> {
		while (next) {
			const written = next;
			next = undefined;
			try {
				await store.save(written.value);
				isFailing = false;
			} catch (error) {
				next ??= written;
				if (!isFailing) failed(error);
				isFailing = true;
				return;
			}
		}
	}
	const start = (): Promise<void> => {
		cancelWait?.();
		cancelWait = undefined;
		// Cleared in `finally`, because `drain` may end before `writing` is assigned.
		writing ??= drain().finally(() => (writing = undefined));
		return writing;
	};
	function startAfter(delayMs: number): void {
		cancelWait ??= clock.after(delayMs, () => inBackground(start().then(() => next && startAfter(TRY_AGAIN_MS))));
	}
	return {
		put: (value) => {
			next = { value };
			// The first checkpoint is saved at once: after a crash before that, the node would start at the newest event and
			// miss some.
			if (!hasBegun) inBackground(start());
			hasBegun = true;
			startAfter(SAVE_EVERY_MS);
		},
		// What fails here is not tried again by itself: the node that takes over may have stored a newer value by then.
		flush: async () => {
			if (writing) await writing;
			if (next) await start();
		},
		isFailing: () => isFailing,
	};
}
