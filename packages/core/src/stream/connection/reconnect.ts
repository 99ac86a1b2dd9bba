import { backoff, doubled } from '../../backoff';
import {
	LIMITED_FLOOR_MS,
	LIMITED_MS_MAX,
	RECONNECT_BASE_MS,
	RECONNECT_MS_MAX,
	RECONNECT_SOON_FOR_MS,
	RECONNECT_SOON_MS_MAX,
	REFUSALS_CONFIRM,
	REFUSAL_AGAIN_MS,
	REFUSED_AGAIN_MS,
	STABLE_AFTER_MS,
} from '../limits';

/** What the delay before the next connection depends on. */
export interface Reconnects {
	/** Connections in a row that did not hold. */
	tries: number;
	/** How often the service answered `rate_limited` since a connection held. */
	limited: number;
	/** Since when the present one is open. */
	openedAt?: number;
	/** Since when no connection has held for `STABLE_AFTER_MS`: the length of the outage. */
	downSince?: number;
}

export const newReconnects = (): Reconnects => ({ tries: 0, limited: 0 });

/** Whether the present connection has stayed open so long that its beginning does not end it. */
export const hasHeld = ({ openedAt }: Reconnects, now: number): boolean =>
	openedAt !== undefined && now - openedAt >= STABLE_AFTER_MS;

/**
 * The connection ended: the delay before the next one. It has full jitter, and is longer after `rate_limited`. `chance`: a
 * random number from 0 up to 1.
 */
export function reconnectDelayMs(state: Reconnects, now: number, chance: number): number {
	const isStable = hasHeld(state, now);
	if (isStable) {
		state.tries = 0;
		state.limited = Math.min(state.limited, 1);
		state.downSince = undefined;
	}
	state.openedAt = undefined;
	state.downSince ??= now;
	state.tries += 1;
	const cap = now - state.downSince < RECONNECT_SOON_FOR_MS ? RECONNECT_SOON_MS_MAX : RECONNECT_MS_MAX;
	const jittered = backoff({ base: RECONNECT_BASE_MS, cap }, state.tries, () => chance);
	const delayMs = state.limited === 0 ? jittered : limitedDelayMs(state.limited, chance);
	if (isStable) state.limited = 0;
	return delayMs;
}

function limitedDelayMs(limited: number, chance: number): number {
	const floor = Math.min(LIMITED_MS_MAX, LIMITED_FLOOR_MS * 2 ** Math.min(limited - 1, 10));
	return Math.min(LIMITED_MS_MAX, floor + chance * floor);
}

/** The delay after so many refusals of the key in a row: short until the refusal is confirmed, then growing. */
export function refusedDelayMs(refusals: number): number {
	if (refusals < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * refusals;
	return doubled(REFUSED_AGAIN_MS, refusals - REFUSALS_CONFIRM);
}
