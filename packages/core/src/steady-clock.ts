import type { Clock } from './ports';

/** A wall clock that is read once and then advances evenly, whatever happens to the clock of the machine. */
export function steadyClock(clock: Clock): Clock {
	const beganAt = clock.now() - clock.elapsed();
	return {
		now: () => beganAt + clock.elapsed(),
		elapsed: () => clock.elapsed(),
		after: (delayMs, action) => clock.after(delayMs, action),
	};
}
