import { instantOf } from '../../wire/payload';
import { TIME_READ_EVERY_MS } from '../limits';

/** The clock of the service and the network lag, as the timestamps of messages show them. */
export interface MessageTimes {
	/** How far the clock of the service is ahead, by the message that arrived fastest. */
	aheadMs?: number;
	readAt: number;
	/** The latest timestamp, as the service wrote it, and how much longer its message took than the fastest one. */
	latest: string | null;
	lagMs: number | null;
}

export const noMessageTimes = (): MessageTimes => ({ readAt: Number.NEGATIVE_INFINITY, latest: null, lagMs: null });

/** `ts`: when the service sent a message, as it wrote it; `at`: when it arrived, on our clock. */
export function observeTime(times: MessageTimes, ts: string | null, at: number): void {
	if (at - times.readAt < TIME_READ_EVERY_MS) return;
	const sentAt = instantOf(ts);
	if (sentAt === undefined) return;
	const ahead = sentAt - at;
	const aheadMs = Math.max(times.aheadMs ?? ahead, ahead);
	Object.assign(times, { readAt: at, aheadMs, lagMs: aheadMs - ahead, latest: ts });
}

/** When the latest message was sent, and how much longer it took to arrive than the fastest one. */
export const lagOf = ({ latest, lagMs }: MessageTimes): { last_message_at: string | null; lag_ms: number | null } => ({
	last_message_at: latest,
	lag_ms: lagMs,
});
