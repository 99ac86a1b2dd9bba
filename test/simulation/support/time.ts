import type { Clock } from '@partner-exchange/core';
import { queue } from './queue';

/** Virtual time: it advances only when no work is left, so hours pass in a moment, always in the same order. */
export interface VirtualTime extends Clock {
	/** Like `after`, for the simulated environment of the client. */
	at(time: number, action: () => void): () => void;
	/** Runs everything due until `end`; returns how many tasks ran. */
	run(end: number): Promise<number>;
}

/** A day in 2026, so that times are valid dates. */
export const SIMULATION_BEGINS = Date.UTC(2026, 0, 5, 9, 0, 0);
/** More than any correct simulation needs: beyond this it loops endlessly. */
const STEPS_MAX = 1_000_000;

export function virtualTime(begins = SIMULATION_BEGINS): VirtualTime {
	const due = queue();
	let now = begins;
	const at = (time: number, action: () => void): (() => void) => {
		const entry = due.add(Math.max(now, time), action);
		return () => void (entry.off = true);
	};
	return {
		now: () => now,
		elapsed: () => now - begins,
		at,
		after: (delayMs, action) => at(now + Math.max(0, delayMs), action),
		run: async (end) => {
			let steps = 0;
			await settled();
			for (let time = due.next(); time !== undefined && time <= end; time = due.next()) {
				const entry = due.take()!;
				now = entry.at;
				entry.action();
				// Every promise resolved by this task runs to its next wait before the next task.
				await settled();
				steps += 1;
				if (steps > STEPS_MAX) throw new Error(`The simulation did not end after ${STEPS_MAX} steps`);
			}
			now = Math.max(now, end);
			return steps;
		},
	};
}

/** Resolves when no promise callback is left to run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
