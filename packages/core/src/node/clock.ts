import type { Clock } from '../ports';

/** The clock of this machine. Durations are measured on its monotonic clock. */
export const systemClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action) => {
		const timer = setTimeout(action, delayMs);
		return () => clearTimeout(timer);
	},
};
