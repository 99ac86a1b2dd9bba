import type { Clock } from '@partner-exchange/core';
import { queue } from './queue';

/** Time that passes only when nothing is left to do: hours of it run in a moment, always in the same order. */
export interface VirtualTime extends Clock {
	/** Like `after`, for the world around the client. */
	at(time: number, action: () => void): () => void;
	/** Runs everything due until `end`; answers how many things were done. */
	run(end: number): Promise<number>;
}

/** A day in 2026, so that times read as times. */
export const SIMULATION_BEGINS = Date.UTC(2026, 0, 5, 9, 0, 0);
/** More than any sound simulation needs: past this it goes round in circles. */
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
				// Every promise this set in motion runs to its next wait before anything else happens.
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
