import type { Clock } from '../ports';

/** One timer: the returned function sets it to another moment, or cancels it without one. */
export function createWake(clock: Clock, woken: () => void): (at: number | undefined) => void {
	let wake: { at: number; cancel(): void } | undefined;

	function ring(): void {
		wake = undefined;
		woken();
	}

	return (at) => {
		if (wake?.at === at) return;
		wake?.cancel();
		wake = at === undefined ? undefined : { at, cancel: clock.after(Math.max(0, at - clock.now()), ring) };
	};
}
