import type { Clock } from './ports';

/**
 * The clock of a stream: a wall clock that is read once and advances with the monotonic clock, so changes of the system
 * time do not affect it. A process does not stay alive for what is planned on it, only while somebody holds it: a
 * subscriber, or a command.
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
