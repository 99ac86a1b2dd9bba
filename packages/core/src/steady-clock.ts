import type { Clock } from './ports';

/** A clock that shows the time as it was set at first and goes on evenly, whatever happens to the clock of the machine. */
export function steadyClock(clock: Clock): Clock {
	const beganAt = clock.now() - clock.elapsed();
	return {
		now: () => beganAt + clock.elapsed(),
		elapsed: () => clock.elapsed(),
		after: (delayMs, action) => clock.after(delayMs, action),
	};
}
