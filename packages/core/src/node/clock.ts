import type { Clock } from '../ports';

/** What a timer of Node can wait at most. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The clock of this machine. Durations are measured on its monotonic clock. */
export const systemClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action, isAwaited = true) => {
		const timer = setTimeout(action, delayMs);
		if (!isAwaited) timer.unref();
		return () => clearTimeout(timer);
	},
	hold: () => {
		const timer = setInterval(() => undefined, TIMER_MS_MAX);
		return () => clearInterval(timer);
	},
};
