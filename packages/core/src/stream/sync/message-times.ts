import { instantOf } from '../../wire/payload';
import type { Clock } from '../../ports';

/** What the times that messages carry tell about the service and the way to it. */
export interface MessageTimes {
	note(ts: string | null): void;
	/** What the clock of the service shows now, as far as its messages tell. */
	serviceTime(): number;
	/** When the latest message was sent, and how much longer it took than the quickest one. */
	lag(): { last_message_at: string | null; lag_ms: number | null };
}

export function createMessageTimes(clock: Pick<Clock, 'now'>): MessageTimes {
	/** How far the clock of the service is ahead, from the message that took the least time. */
	let aheadMs = Number.NEGATIVE_INFINITY;
	let latest: string | null = null;
	let lagMs: number | null = null;

	return {
		note: (ts) => {
			const sentAt = instantOf(ts);
			if (sentAt === undefined) return;
			const ahead = sentAt - clock.now();
			aheadMs = Math.max(aheadMs, ahead);
			lagMs = aheadMs - ahead;
			latest = ts;
		},
		serviceTime: () => clock.now() + (Number.isFinite(aheadMs) ? aheadMs : 0),
		lag: () => ({ last_message_at: latest, lag_ms: lagMs }),
	};
}
