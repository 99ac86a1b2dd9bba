import { instantOf } from '../../wire/payload';

/** Estimates the clock of the service and the network lag from the timestamps of messages. */
export interface MessageTimes {
	/** A message arrived at `at` and carries the timestamp `ts`. */
	note(ts: string | null, at: number): void;
	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	serviceTime(at: number): number;
	/** When the latest message was sent, and how much longer it took to arrive than the fastest one. */
	lag(): { last_message_at: string | null; lag_ms: number | null };
}

/** A timestamp is parsed this often, and on request. More would cost time and not improve the estimate. */
const READ_EVERY_MS = 100;

/** `aheadBefore`: how far the clock of the service is ahead as long as no message shows it. */
export function createMessageTimes(aheadBefore: () => number = () => 0): MessageTimes {
	/** How far the clock of the service is ahead, by the message that arrived fastest. */
	let aheadMs = Number.NEGATIVE_INFINITY;
	/** The latest timestamp that is not parsed yet. */
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
			return at + (Number.isFinite(aheadMs) ? aheadMs : aheadBefore());
		},
		lag: () => {
			read();
			return { last_message_at: latest, lag_ms: lagMs };
		},
	};
}
