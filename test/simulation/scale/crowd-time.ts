import type { Clock } from '@partner-exchange/core';
import { queue } from '../support/queue';
import { settled, SIMULATION_BEGINS } from '../support/time';

/**
 * Virtual time for many accounts: everything due within a hundredth of a second runs before the promises it resolved.
 */
export interface CrowdTime extends Clock {
	run(durationMs: number): Promise<void>;
}

const TICK_MS = 10;

export function crowdTime(): CrowdTime {
	const due = queue();
	let now = SIMULATION_BEGINS;
	return {
		now: () => now,
		elapsed: () => now,
		after: (delayMs, action) => {
			const entry = due.add(Math.ceil((now + Math.max(0, delayMs)) / TICK_MS) * TICK_MS, action);
			return () => void (entry.off = true);
		},
		run: async (durationMs) => {
			const end = now + durationMs;
			await settled();
			for (let time = due.next(); time !== undefined && time <= end; time = due.next()) {
				now = Math.max(now, time);
				while (due.next() === time) due.take()!.action();
				await settled();
			}
			now = end;
		},
	};
}
