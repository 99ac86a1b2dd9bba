import type { Clock } from '../ports';

export const systemClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action) => {
		const timer = setTimeout(action, delayMs);
		return () => clearTimeout(timer);
	},
};
