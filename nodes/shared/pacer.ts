import type { Clock } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';

export interface Pacer {
	/** Resolves when so many events may go, or at once when it is stopped. */
	turn(count: number, stopped: AbortSignal): Promise<void>;
}

/** Limits the rate of a trigger: each hand-over is followed by a pause in proportion to its events. */
export function createPacer(clock: Clock, perSecond: number | undefined): Pacer {
	let nextAt = Number.NEGATIVE_INFINITY;
	return {
		turn: async (count, stopped) => {
			if (perSecond === undefined) return;
			const waitMs = nextAt - clock.elapsed();
			if (waitMs > 0) await sleep(clock, waitMs, stopped);
			nextAt = Math.max(nextAt, clock.elapsed()) + (1_000 * count) / perSecond;
		},
	};
}
