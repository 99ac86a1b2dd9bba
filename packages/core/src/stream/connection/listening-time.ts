/**
 * How long a connection has been read. What arrives during a pause (backpressure) waits unread, so whatever is expected
 * of the service counts as missing only after so much listening. All functions change the value in place.
 */
export interface ListeningTime {
	/** The time spent in pauses that are over. */
	pausedMs: number;
	/** The present pause. */
	pause?: { since: number; endsAt: number };
	/** A pause reached its limit. The next one is allowed once reading was resumed because the queues have room. */
	isPausedEnough: boolean;
}

/** A moment at which something is due: by the clock, or by the time the connection was read. */
export interface Due {
	at: number;
	isListened?: boolean;
}

export const newListeningTime = (): ListeningTime => ({ pausedMs: 0, isPausedEnough: false });

const listened = ({ pause, pausedMs }: ListeningTime, now: number): number => (pause?.since ?? now) - pausedMs;

export const dueAfter = (listening: ListeningTime, delayMs: number, now: number): Due => ({
	at: listened(listening, now) + delayMs,
	isListened: true,
});

/** How long it takes until something is due; during a pause nothing that has to be listened for is. */
export function leftMs(listening: ListeningTime, { at, isListened }: Due, now: number): number {
	if (!isListened) return at - now;
	return listening.pause ? Number.POSITIVE_INFINITY : at - listened(listening, now);
}

/** Whether reading is paused, or was for as long as it may be. */
export const isPaused = ({ pause, isPausedEnough }: ListeningTime): boolean => pause !== undefined || isPausedEnough;

/** Pauses reading, for `limitMs` at most. Returns whether that is allowed. */
export function pause(listening: ListeningTime, limitMs: number, now: number): boolean {
	if (isPaused(listening)) return false;
	listening.pause = { since: now, endsAt: now + limitMs };
	return true;
}

export function resume(listening: ListeningTime, now: number, isPausedEnough = false): void {
	listening.pausedMs += listening.pause ? now - listening.pause.since : 0;
	listening.pause = undefined;
	listening.isPausedEnough = isPausedEnough;
}
