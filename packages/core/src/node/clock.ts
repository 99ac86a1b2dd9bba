import type { Clock } from '../ports';

export const systemClock: Clock = {
	now: () => Date.now(),
	after: (delayMs, action) => {
		const timer = setTimeout(action, delayMs);
		return () => clearTimeout(timer);
	},
};
