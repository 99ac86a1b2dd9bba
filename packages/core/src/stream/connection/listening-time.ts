import type { Clock } from '../../ports';

/**
 * How long a connection has been read. What arrives during a pause (backpressure) waits unread, so whatever is expected
 * of the service counts as missing only after so much listening.
 */
export interface ListeningTime {
	/** Reading is paused, for `limitMs` at most. Returns whether that is allowed; `over` is called at the limit. */
	pause(limitMs: number, over: () => void): boolean;
	resume(): void;
	/** Runs `action` after so much listening; the returned function cancels it. */
	after(delayMs: number, action: () => void): () => void;
	/** The connection ended: the next one is not paused. */
	reset(): void;
}

export function createListeningTime(clock: Clock): ListeningTime {
	let pausedMs = 0;
	let pause: { at: number; cancel(): void } | undefined;
	/** A pause reached its limit. The next one is allowed once reading was resumed because the queues have room. */
	let pausedEnough = false;
	/** Timers that ran out during a pause. */
	const waiting = new Set<() => void>();

	const elapsed = (): number => (pause?.at ?? clock.elapsed()) - pausedMs;

	function end(): void {
		pause?.cancel();
		pausedMs += pause ? clock.elapsed() - pause.at : 0;
		pause = undefined;
	}

	function resume(): void {
		end();
		// One of these may cancel others.
		for (const look of waiting) {
			waiting.delete(look);
			look();
		}
	}

	function after(delayMs: number, action: () => void): () => void {
		const dueAt = elapsed() + delayMs;
		let cancel = (): void => undefined;
		function look(): void {
			const leftMs = dueAt - elapsed();
			if (leftMs < 1) return action();
			if (pause) waiting.add(look);
			else cancel = clock.after(leftMs, look);
		}
		look();
		return () => {
			waiting.delete(look);
			cancel();
		};
	}

	return {
		pause: (limitMs, over) => {
			if (pause || pausedEnough) return false;
			const cancel = clock.after(limitMs, () => {
				pausedEnough = true;
				resume();
				over();
			});
			pause = { at: clock.elapsed(), cancel };
			return true;
		},
		resume: () => {
			pausedEnough = false;
			if (pause) resume();
		},
		after,
		reset: () => {
			end();
			waiting.clear();
			pausedEnough = false;
		},
	};
}
