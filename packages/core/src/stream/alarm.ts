import { inBackground } from '../background';
import type { Clock } from '../ports';

/**
 * One timer: the returned function sets it to another moment, and `Infinity` cancels it. What is due already is done in
 * this turn of the event loop, after the caller: nobody waits a tick for a first read.
 */
export function createAlarm(clock: Clock, rings: () => void): (at: number) => void {
	let set: { at: number; cancel(): void } | undefined;

	function ring(): void {
		set = undefined;
		rings();
	}

	return (at) => {
		if (set?.at === at) return;
		set?.cancel();
		set = undefined;
		if (at === Infinity) return;
		const delayMs = at - clock.now();
		set = { at, cancel: delayMs > 0 ? clock.after(delayMs, ring) : inThisTurn(ring) };
	};
}

function inThisTurn(action: () => void): () => void {
	let isCancelled = false;
	inBackground(Promise.resolve().then(() => void (isCancelled || action())));
	return () => void (isCancelled = true);
}
