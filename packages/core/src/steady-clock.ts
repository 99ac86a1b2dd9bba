import type { Clock } from './ports';

/**
 * The clock of a stream: a wall clock that is read once and advances with the monotonic clock, so changes of the system
 * time do not affect it. No process waits for what is planned on it, but for whoever holds it: a subscriber, a command.
 */
export function steadyClock(clock: Clock): Required<Clock> {
	const beganAt = clock.now() - clock.elapsed();
	return {
		now: () => beganAt + clock.elapsed(),
		elapsed: () => clock.elapsed(),
		after: (delayMs, action) => clock.after(delayMs, action, false),
		hold: () => clock.hold?.() ?? (() => undefined),
	};
}
