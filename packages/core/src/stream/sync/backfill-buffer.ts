import type { Clock } from '../../ports';
import type { DataFrame } from '../connection/frames';
import { HELD_LENGTH_MAX, HELD_MAX, HOLD_MS_MAX } from '../limits';

/** Buffers live messages during a backfill, for topics whose events have an order. Limited in time, number and size. */
export interface BackfillBuffer {
	begin(): void;
	/** Buffers the frame if a backfill is in progress; returns whether it did. */
	keep(frame: DataFrame, isReplay: boolean): boolean;
	/** Whether a frame is buffered. */
	isHolding(): boolean;
	/** Passes the buffered frames on, in order of arrival. */
	release(): void;
	/** Drops the buffered frames. */
	stop(): void;
}

/** `isReplay` is decided on arrival, because the connection may be another one when the frame is passed on. */
type Pass = (frame: DataFrame, isReplay: boolean) => void;

/** `late` is called before the frames are passed on because the backfill took too long or the buffer is full. */
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
		// A backfill that begins while another one is in progress does not extend the time limit.
		begin: () => void (held ??= { frames: [], length: 0, cancel: clock.after(HOLD_MS_MAX, expire) }),
		keep: (frame, isReplay) => {
			if (!held) return false;
			held.frames.push([frame, isReplay]);
			held.length += frame.length;
			if (held.frames.length >= HELD_MAX || held.length >= HELD_LENGTH_MAX) expire();
			return true;
		},
		isHolding: () => held !== undefined && held.frames.length > 0,
		release,
		stop: () => {
			held?.cancel();
			held = undefined;
		},
	};
}
