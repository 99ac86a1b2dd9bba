import type { Clock } from '../../ports';
import { PAUSE_MS_MAX, PING_EVERY_MS, SILENCE_MS_MAX } from '../limits';

/** Detects dead sockets. Any message is a sign of life; a missing pong alone proves nothing. */
export interface Heartbeat {
	begin(): void;
	heard(at: number): void;
	/** Reading is paused for backpressure. Returns whether that is allowed; `over` is called at the limit of a pause. */
	pause(over: () => void): boolean;
	resume(): void;
	end(): void;
}

export function createHeartbeat(clock: Clock, { ping, silent }: { ping(): void; silent(): void }): Heartbeat {
	let heardAt = 0;
	let cancel: (() => void) | undefined;
	let cancelPause: (() => void) | undefined;
	/** A pause reached its limit. The next one is allowed once reading was resumed because the queues have room. */
	let pausedEnough = false;

	function look(): void {
		const silentMs = clock.now() - heardAt;
		if (silentMs >= SILENCE_MS_MAX && !cancelPause) return silent();
		if (silentMs >= PING_EVERY_MS) ping();
		const untilPingMs = PING_EVERY_MS - (silentMs % PING_EVERY_MS);
		cancel = clock.after(cancelPause ? untilPingMs : Math.min(untilPingMs, SILENCE_MS_MAX - silentMs), look);
	}

	function resume(): void {
		cancelPause?.();
		cancelPause = undefined;
		heardAt = clock.now();
	}

	return {
		begin: () => {
			heardAt = clock.now();
			pausedEnough = false;
			look();
		},
		heard: (at) => void (heardAt = at),
		pause: (over) => {
			if (cancelPause || pausedEnough) return false;
			cancelPause = clock.after(PAUSE_MS_MAX, () => {
				pausedEnough = true;
				resume();
				over();
			});
			return true;
		},
		resume: () => {
			pausedEnough = false;
			if (cancelPause) resume();
		},
		end: () => {
			cancel?.();
			cancelPause?.();
			cancelPause = undefined;
		},
	};
}
