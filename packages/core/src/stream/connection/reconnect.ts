import { backoff } from '../../backoff';
import {
	LIMITED_FLOOR_MS,
	LIMITED_MS_MAX,
	RECONNECT_BASE_MS,
	RECONNECT_MS_MAX,
	RECONNECT_SOON_FOR_MS,
	RECONNECT_SOON_MS_MAX,
	RECONNECT_WINDOW_MS,
	RECONNECTS_PER_WINDOW_MAX,
	STABLE_AFTER_MS,
} from '../limits';

/** Reconnect backoff: full jitter, a longer delay after `rate_limited`, and a limit of connections per window. */
export interface ReconnectBackoff {
	/** A connection is being opened. */
	opening(now: number): void;
	opened(now: number): void;
	/** The service asked to slow down. */
	limited(): void;
	/** The connection ended; returns the delay before the next attempt. */
	delayMs(now: number): number;
	tries(): number;
}

export function createReconnectBackoff(random: () => number): ReconnectBackoff {
	let tries = 0;
	let limits = 0;
	let openings: number[] = [];
	let openedAt: number | undefined;
	let downSince: number | undefined;

	return {
		opening: (now) => void openings.push(now),
		opened: (now) => void (openedAt = now),
		limited: () => void (limits += 1),
		delayMs: (now) => {
			const held = openedAt !== undefined && now - openedAt >= STABLE_AFTER_MS;
			if (held) {
				tries = 0;
				limits = Math.min(limits, 1);
				downSince = undefined;
			}
			openedAt = undefined;
			downSince ??= now;
			tries += 1;
			const cap = now - downSince < RECONNECT_SOON_FOR_MS ? RECONNECT_SOON_MS_MAX : RECONNECT_MS_MAX;
			const jittered = backoff({ base: RECONNECT_BASE_MS, cap }, tries, random);
			const floor = limits === 0 ? 0 : Math.min(LIMITED_MS_MAX, LIMITED_FLOOR_MS * 2 ** Math.min(limits - 1, 10));
			const wait = floor === 0 ? jittered : Math.min(LIMITED_MS_MAX, floor + random() * floor);
			openings = openings.filter((at) => at > now - RECONNECT_WINDOW_MS);
			const room = openings.length < RECONNECTS_PER_WINDOW_MAX ? 0 : openings[0]! + RECONNECT_WINDOW_MS - now;
			if (held) limits = 0;
			return Math.max(wait, room);
		},
		tries: () => tries,
	};
}
