import { instantOf } from '../../wire/payload';

/** What the times that messages carry tell about the service and the way to it. */
export interface MessageTimes {
	/** A message came, with the time it names. */
	note(ts: string | null, at: number): void;
	/** What the clock of the service showed when ours showed this, as far as its messages tell by now. */
	serviceTime(at: number): number;
	/** When the latest message was sent, and how much longer it took than the quickest one. */
	lag(): { last_message_at: string | null; lag_ms: number | null };
}

/** A time is read so often, and when somebody asks: a few a second tell enough. */
const READ_EVERY_MS = 100;

export function createMessageTimes(): MessageTimes {
	/** How far the clock of the service is ahead, from the message that took the least time. */
	let aheadMs = Number.NEGATIVE_INFINITY;
	/** The latest message that was not read for its time. */
	let [unread, unreadAt]: [ts: string | null, at: number] = [null, 0];
	let readAt = Number.NEGATIVE_INFINITY;
	let latest: string | null = null;
	let lagMs: number | null = null;

	function read(): void {
		const sentAt = instantOf(unread);
		if (sentAt !== undefined) {
			const ahead = sentAt - unreadAt;
			aheadMs = Math.max(aheadMs, ahead);
			lagMs = aheadMs - ahead;
			latest = unread;
		}
		unread = null;
	}

	return {
		note: (ts, at) => {
			unread = ts;
			unreadAt = at;
			if (at - readAt < READ_EVERY_MS) return;
			readAt = at;
			read();
		},
		serviceTime: (at) => {
			read();
			return at + (Number.isFinite(aheadMs) ? aheadMs : 0);
		},
		lag: () => {
			read();
			return { last_message_at: latest, lag_ms: lagMs };
		},
	};
}
