import { instantOf } from '../wire/payload';
import { TIME_READ_EVERY_MS } from './limits';

/** The clock of the service and the network lag, as the timestamps of messages show them. */
export interface MessageTimes {
	/** How far the clock of the service is ahead, by the message that arrived fastest. */
	aheadMs?: number;
	/** The latest timestamp that is not parsed yet, and when it arrived. */
	unread: string | null;
	unreadAt: number;
	readAt: number;
	/** The latest timestamp, as the service wrote it, and how much longer its message took than the fastest one. */
	latest: string | null;
	lagMs: number | null;
}

export const noMessageTimes = (): MessageTimes => ({
	unread: null,
	unreadAt: 0,
	readAt: Number.NEGATIVE_INFINITY,
	latest: null,
	lagMs: null,
});

/** A message arrived at `at` and carries the timestamp `ts`. All functions change the clock in place. */
export function observeTime(times: MessageTimes, ts: string | null, at: number): void {
	times.unread = ts;
	times.unreadAt = at;
	if (at - times.readAt < TIME_READ_EVERY_MS) return;
	times.readAt = at;
	read(times);
}

function read(times: MessageTimes): void {
	const sentAt = instantOf(times.unread);
	if (sentAt !== undefined) {
		const ahead = sentAt - times.unreadAt;
		times.aheadMs = Math.max(times.aheadMs ?? ahead, ahead);
		times.lagMs = times.aheadMs - ahead;
		times.latest = times.unread;
	}
	times.unread = null;
}

/** The time of the service when ours showed `at`. */
export function serviceTime(times: MessageTimes, at: number): number {
	read(times);
	return at + (times.aheadMs ?? 0);
}

/** When the latest message was sent, and how much longer it took to arrive than the fastest one. */
export function lagOf(times: MessageTimes): { last_message_at: string | null; lag_ms: number | null } {
	read(times);
	return { last_message_at: times.latest, lag_ms: times.lagMs };
}
