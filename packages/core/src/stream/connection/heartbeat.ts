import type { Clock } from '../../ports';
import { PING_EVERY_MS, SILENCE_MS_MAX } from '../limits';
import type { ListeningTime } from './listening-time';

/** Detects dead sockets. Any message is a sign of life; a missing pong alone proves nothing. */
export interface Heartbeat {
	begin(): void;
	heard(at: number): void;
	end(): void;
}

export function createHeartbeat(
	clock: Clock,
	listening: Pick<ListeningTime, 'after'>,
	{ ping, silent }: { ping(): void; silent(): void },
): Heartbeat {
	let heardAt = 0;
	let cancel: (() => void) | undefined;

	function look(): void {
		const silentMs = clock.now() - heardAt;
		if (silentMs >= SILENCE_MS_MAX) return silent();
		if (silentMs >= PING_EVERY_MS) ping();
		const leftMs = SILENCE_MS_MAX - silentMs;
		// An answer to the pings may wait unread during a pause, so the last part of a silence has to be listened to.
		if (leftMs < PING_EVERY_MS) cancel = listening.after(leftMs, look);
		else cancel = clock.after(PING_EVERY_MS - (silentMs % PING_EVERY_MS), look);
	}

	return {
		begin: () => {
			heardAt = clock.now();
			look();
		},
		heard: (at) => void (heardAt = at),
		end: () => cancel?.(),
	};
}
