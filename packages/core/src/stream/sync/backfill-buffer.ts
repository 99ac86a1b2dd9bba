import type { Clock } from '../../ports';
import type { DataFrame } from '../connection/frames';
import { HELD_LENGTH_MAX, HELD_MAX, HOLD_MS_MAX } from '../limits';

/** Buffers live messages during backfill, for topics that have one order. Never for long. */
export interface BackfillBuffer {
	begin(): void;
	/** Whether the frame was kept back. */
	keep(frame: DataFrame, isReplay: boolean): boolean;
	/** Lets everything pass, in order of arrival. */
	release(): void;
	/** Forgets what was kept. */
	stop(): void;
}

/** Whether a message is replayed shows when it comes: the connection may be another one by the time it passes. */
type Pass = (frame: DataFrame, isReplay: boolean) => void;

/** `late` is called before the frames pass when the reading took too long. */
export function createBackfillBuffer(clock: Clock, pass: Pass, late: () => void): BackfillBuffer {
	let held: { frames: Parameters<Pass>[]; length: number; cancel(): void } | undefined;

	function release(): void {
		const { frames, cancel } = held ?? { frames: [], cancel: () => undefined };
		held = undefined;
		cancel();
		for (const [frame, isReplay] of frames) pass(frame, isReplay);
	}

	function expire(): void {
		late();
		release();
	}

	return {
		// One that begins while another lasts does not make it longer.
		begin: () => void (held ??= { frames: [], length: 0, cancel: clock.after(HOLD_MS_MAX, expire) }),
		keep: (frame, isReplay) => {
			if (!held) return false;
			held.frames.push([frame, isReplay]);
			held.length += frame.length;
			if (held.frames.length >= HELD_MAX || held.length >= HELD_LENGTH_MAX) expire();
			return true;
		},
		release,
		stop: () => {
			held?.cancel();
			held = undefined;
		},
	};
}
