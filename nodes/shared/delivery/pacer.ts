import type { Clock } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';

export interface Pacer {
	/** Resolves when `count` events may be delivered, or immediately when `stopped` is aborted. */
	turn(count: number, stopped: AbortSignal): Promise<void>;
	/** Whether the next delivery has to wait. */
	isPausing(): boolean;
}

/** Limits the rate of a trigger: each delivery is followed by a pause in proportion to its number of events. */
export function createPacer(clock: Clock, perSecond: number | undefined): Pacer {
	let nextAt = Number.NEGATIVE_INFINITY;
	return {
		turn: async (count, stopped) => {
			if (perSecond === undefined) return;
			const waitMs = nextAt - clock.elapsed();
			if (waitMs > 0) await sleep(clock, waitMs, stopped);
			nextAt = Math.max(nextAt, clock.elapsed()) + (1_000 * count) / perSecond;
		},
		isPausing: () => clock.elapsed() < nextAt,
	};
}
