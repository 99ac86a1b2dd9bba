import type { Clock } from './ports';

/**
 * A wall clock that is read once and advances with the monotonic clock, so changes of the system time do not affect it.
 */
export function steadyClock(clock: Clock): Clock {
	const beganAt = clock.now() - clock.elapsed();
	return {
		now: () => beganAt + clock.elapsed(),
		elapsed: () => clock.elapsed(),
		after: (delayMs, action) => clock.after(delayMs, action),
	};
}
